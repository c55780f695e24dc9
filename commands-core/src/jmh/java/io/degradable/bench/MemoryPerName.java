package io.degradable.bench;

import io.degradable.testing.ManualTicker;

/** What a name keeps on the heap after 12 s of traffic and, for ours, after 72 s, when every window is full. */
final class MemoryPerName {

    private MemoryPerName() {}

    private static Names names(Names.Kind kind, int count) {
        return new Names(kind, count, kind.isOurs() ? new ManualTicker() : null);
    }

    public static void main(String[] arguments) throws Exception {
        Names.Kind kind = Names.Kind.valueOf(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        names(kind, 10).traffic(1); // what there is once, and not for each name
        long before = Machine.usedHeap();

        Names names = names(kind, count);
        names.traffic(12);
        long after = Machine.usedHeap();

        Figures figures = new Figures();
        String name = "memory " + kind + " " + count;
        figures.put(name, (after - before) / (double) count);
        if (kind.isOurs()) {
            names.traffic(60);
            figures.put(name + " full", (Machine.usedHeap() - before) / (double) count);
        }
        figures.write("memory-" + kind + "-" + count);
        System.exit(names.all.size() == count ? 0 : 1); // and so they were reachable until here
    }
}
