# shellcheck shell=bash
# Read by ./check and ./demo: makes sure that the tools they name are on the machine.
#
#   need jdk maven node redis     names in any order; returns at once when all are there
#
# What is missing is installed with apt-get when that can be done without a question (as root, or by sudo without a
# password). Otherwise this says what to install, and ends the script that called it.

# major COMMAND... : the first number that COMMAND prints, which is the major version of the tools asked here.
major() { "$@" 2>/dev/null | grep -oE '[0-9]+' | head -n 1; }

# Maven takes the JDK of JAVA_HOME where that is set, and else the one on the PATH.
have_jdk() { [ "$(major "${JAVA_HOME:+$JAVA_HOME/bin/}javac" -version || true)" -ge 17 ] 2>/dev/null; }
have_maven() { command -v mvn >/dev/null; } # too old a Maven is refused by the build itself
have_redis() { command -v redis-server >/dev/null; }
have_node() { [ "$(major node --version || true)" -ge 18 ] 2>/dev/null; }

# jdk21_home : the JDK of JAVA21_HOME, else the newest of version 21 or more beside the one Maven takes, else nothing.
jdk21_home() {
    local home default found="" newest=20 homes
    default=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
    homes=("$(dirname "$default")"/*)
    [ -z "${JAVA21_HOME:-}" ] || homes=("$JAVA21_HOME")
    for home in "${homes[@]}"; do
        if [ -x "$home/bin/java" ] && [ "$(release_of "$home")" -gt "$newest" ] 2>/dev/null; then
            newest=$(release_of "$home") found=$home
        fi
    done
    echo "$found"
}

# release_of HOME : the major version that a JDK says it is.
release_of() { sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$1/release" 2>/dev/null; }

in_words() {
    case $1 in
        jdk) echo "a JDK, version 17 or newer" ;;
        maven) echo "Apache Maven, version 3.8 or newer" ;;
        node) echo "Node.js, version 18 or newer" ;;
        redis) echo "Redis, version 7 or newer: its redis-server" ;;
    esac
}

# Debian's packages that would do, the first that the machine's release has is taken.
packages_for() {
    case $1 in
        jdk) echo openjdk-17-jdk-headless default-jdk-headless ;;
        maven) echo maven ;;
        node) echo nodejs ;;
        redis) echo redis-server ;;
    esac
}

missing_of() {
    local tool
    for tool in "$@"; do "have_$tool" || echo "$tool"; done
}

# install_with_apt TOOL... : fails when there is no apt-get, no right to use it, or no package.
install_with_apt() {
    command -v apt-get >/dev/null || return 1
    local root=() tool package packages=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        root=(sudo -n)
    fi
    "${root[@]}" apt-get -qq update >&2 || return 1
    for tool in "$@"; do
        for package in $(packages_for "$tool"); do
            if [ -n "$(apt-cache madison "$package" 2>/dev/null)" ]; then
                packages+=("$package")
                break
            fi
        done
    done
    [ "${#packages[@]}" -eq "$#" ] || return 1
    echo "installing: ${packages[*]}" >&2
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 install "${packages[@]}" >&2 </dev/null
}

need() {
    local missing tool
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0

    # shellcheck disable=SC2086 # one word for each tool
    if install_with_apt $missing; then
        hash -r
        missing=$(missing_of "$@")
        [ -n "$missing" ] || return 0
    fi
    echo "This machine lacks something, and it could not be installed from here. Please install, and put on the PATH:" >&2
    for tool in $missing; do echo "  - $(in_words "$tool")" >&2; done
    if [ -n "${JAVA_HOME:-}" ] && ! have_jdk; then
        echo "JAVA_HOME is set to $JAVA_HOME, which is no such JDK: correct it or unset it." >&2
    fi
    exit 1
}
