package io.degradable.archaius;

import com.netflix.archaius.config.DefaultCompositeConfig;
import com.netflix.archaius.config.EnvironmentConfig;
import com.netflix.archaius.config.SystemConfig;
import com.netflix.archaius.readers.URLConfigReader;
import java.util.TreeMap;

/** A program of its own: only so is there an environment to be set. It prints what it reads, and how the polling ended. */
final class EnvironmentProgram {

    private EnvironmentProgram() {}

    public static void main(String[] arguments) throws Exception {
        DefaultCompositeConfig config = new DefaultCompositeConfig();
        config.addConfig("system", SystemConfig.INSTANCE);
        config.addConfig("environment", EnvironmentConfig.INSTANCE);
        System.out.println(new TreeMap<>(ArchaiusSettings.over(config).read()));
        try {
            new URLConfigReader(arguments[0]).call();
        } catch (java.net.SocketTimeoutException limited) {
            System.out.println("limited");
        }
    }
}
