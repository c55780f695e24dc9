package io.degradable.bench;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;

/** How long a JVM that has done nothing else takes to have a container, to answer once, and to know 10,000 names. */
final class StartUp {

    private static final int NAMES = 10_000;

    private StartUp() {}

    public static void main(String[] arguments) throws Exception {
        long before = System.nanoTime();
        Commands commands = Commands.builder().maxNames(NAMES + 1).build();
        long made = System.nanoTime();
        commands.call(spec("first"), () -> Work.ANSWER);
        long answered = System.nanoTime();
        for (int name = 0; name < NAMES; name++) {
            commands.register(spec("name-" + name));
        }
        long known = System.nanoTime();

        Figures figures = new Figures();
        figures.put("start commands ms", (made - before) / 1e6);
        figures.put("start first call ms", (answered - made) / 1e6);
        figures.put("start 10000 names ms", (known - answered) / 1e6);
        figures.write("start");
        commands.close();
    }

    private static CommandSpec<CallableCommand<String>, String> spec(String name) {
        return CommandSpec.<String>callable(name).group("bench").build();
    }
}
