package io.degradable.model;

import java.io.Serializable;

/**
 * The identity of a command. The name alone identifies it within a container; the group is its label on every channel.
 *
 * @param name unique in a container
 * @param group the family the command belongs to, for instance the dependency it calls
 */
public record CommandKey(String name, String group) implements Serializable {

    @Override
    public String toString() {
        return name;
    }
}
