package io.degradable;

import java.util.concurrent.Callable;

/** What {@link PropagatedContextTest} runs where context-propagation is hidden: a file of its own, which must not name it. */
final class PropagationProbe implements Callable<String> {

    /** The worker that ran a body, and how many mistakes of users were counted. */
    @Override
    public String call() {
        CommandSpec<CallableCommand<String>, String> spec =
                CommandSpec.<String>callable("probe").group("tests").build();
        try (Commands commands = Commands.create()) {
            String worker = commands.call(spec, () -> Thread.currentThread().getName());
            long mistakes =
                    commands.commands().iterator().next().stages().get(0).userMistakes();
            return worker + ", " + mistakes + " mistakes";
        }
    }
}
