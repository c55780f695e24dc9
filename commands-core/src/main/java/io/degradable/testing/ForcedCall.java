package io.degradable.testing;

import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.model.CommandException;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.FinishedCall;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.StageTimeoutException;
import io.degradable.model.Trigger;
import io.degradable.settings.CommandSettings;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * One call whose primary ends for a reason of the test's choice, in a container of its own.
 *
 * <p>Threading: belongs to the thread of the test. The call is made by another one, which is left behind if it hangs.
 */
final class ForcedCall implements AutoCloseable {

    private static final Duration WELL_BEYOND = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofDays(1);

    private final DegradableCommand<?> command;
    private final Trigger trigger;
    private final Set<String> without;
    private final long slackNanos;
    private final Commands commands = Commands.builder()
            .name("chain-contract")
            .closeGrace(Duration.ofMillis(1))
            .build();
    private final Faults faults = Faults.in(commands);
    private final CommandView view;

    private volatile @Nullable CommandResult<?> answered;
    private volatile @Nullable Throwable thrown;

    ForcedCall(DegradableCommand<?> command, Trigger trigger, Exception failure, Set<String> without, long slackNanos) {
        this.command = command;
        this.trigger = trigger;
        this.without = Set.copyOf(without);
        this.slackNanos = slackNanos;
        this.view = register(commands, command);
        force(failure);
        without.forEach(stage -> faults.of(name(), stage).takenAway());
    }

    static CommandView register(Commands commands, DegradableCommand<?> command) {
        commands.register(Commands.specOf(command));
        String name = Commands.specOf(command).name();
        return commands.commands().stream()
                .filter(known -> known.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The primary's own limit, or the run's if that is earlier. */
    static long limitNanos(CommandSettings settings) {
        return Math.min(Spans.nanos(settings.guard().timeout()), Spans.nanos(settings.deadline()));
    }

    private String name() {
        return view.key().name();
    }

    private void force(Exception failure) {
        StageFaults primary = faults.of(name());
        switch (trigger) {
            case TIMEOUT -> {
                Duration limit = Duration.ofNanos(limitNanos(view.settings()));
                // On the caller's thread only a failure after the limit is a timeout; elsewhere it comes too late.
                boolean here = view.settings().guard().runsOnCaller();
                primary.delays(here ? limit.plus(WELL_BEYOND) : LONG).fails(failure);
            }
            case THREAD_POOL_REJECTED, SEMAPHORE_REJECTED -> primary.rejects();
            case SHORT_CIRCUITED -> primary.opensCircuit();
            case SWITCH ->
                commands.switches()
                        .set(
                                Target.stage(name(), Target.PRIMARY),
                                Position.OUT,
                                Order.by("chain contract", "to see the chain without it"));
            case OVERLOADED -> primary.fails(refusalOfNestedCommand());
            default -> primary.fails(failure);
        }
    }

    /** Whatever a command calls overloaded itself, this is it for all of them. */
    private static CommandException refusalOfNestedCommand() {
        FinishedCall refused = new FinishedCall(Trigger.SHORT_CIRCUITED, FinishedCall.Ending.MISSING, false);
        CommandKey key = new CommandKey("nested", "chain-contract");
        return new CommandException(
                key, refused, List.of(), 0, Level.NORMAL, false, null, new IllegalStateException("refused"));
    }

    /** Makes the call, and says which stage answered; null for none. */
    @Nullable
    String run(List<Violation> violations) {
        Thread test = Thread.currentThread();
        Thread caller = new Thread(() -> call(test), "chain-contract-" + name());
        caller.setDaemon(true);
        caller.start();
        if (!hasEnded(caller)) {
            violations.add(violation(hanging() + " does not end", List.of(), whereItIs(caller)));
            caller.interrupt();
            return null;
        }
        CommandResult<?> result = answered;
        return result == null ? noAnswer(violations) : answer(result, violations);
    }

    private void call(Thread test) {
        try {
            answered = commands.executeForResult(command);
        } catch (Throwable failure) {
            thrown = failure;
        } finally {
            LockSupport.unpark(test);
        }
    }

    private boolean hasEnded(Thread caller) {
        Ticker clock = commands.ticker();
        long limit = limitNanos(view.settings());
        long primary = limit >= Spans.FOREVER ? 0 : limit; // then it fails or is refused at once
        long bound = Spans.sum(Spans.sum(primary, Spans.nanos(view.settings().budget())), slackNanos);
        long untilNanos = clock.nanos() + bound;
        boolean interrupted = false;
        while (answered == null && thrown == null && untilNanos - clock.nanos() > 0) {
            clock.await(caller, untilNanos);
            if (Thread.interrupted()) { // the test is being ended: so is the call
                interrupted = true;
                caller.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return answered != null || thrown != null;
    }

    private @Nullable String answer(CommandResult<?> result, List<Violation> violations) {
        if (result.source() == Source.PRIMARY || result.trigger() != trigger) {
            violations.add(violation("could not be brought about, it was " + result.trigger(), result.trail(), null));
            return null;
        }
        look(result.trail(), violations);
        return result.trail().get(result.trail().size() - 1).stage();
    }

    private @Nullable String noAnswer(List<Violation> violations) {
        Throwable failure = thrown;
        if (failure instanceof CommandException ended && ended.trigger() == trigger) {
            boolean stageIsToBlame = look(ended.trail(), violations);
            if (without.isEmpty() && !stageIsToBlame) {
                violations.add(violation("no stage answers", ended.trail(), failure));
            }
        } else {
            violations.add(violation("is not answered for, the caller gets " + failure, List.of(), failure));
        }
        return null;
    }

    /** Finds what stages did that they must not. */
    private boolean look(List<StageReport> trail, List<Violation> violations) {
        boolean found = false;
        for (StageReport report : trail) {
            if (report.kind() != Source.PRIMARY && !without.contains(report.stage())) {
                String wrong = wrong(report);
                if (wrong != null) {
                    found = true;
                    add(violation(report.stage() + " " + wrong, trail, report.cause()), violations);
                }
            }
        }
        return found;
    }

    /** A stage does the same wrong again when one behind it is taken away; that is told once. */
    private static void add(Violation found, List<Violation> violations) {
        boolean told = violations.stream()
                .anyMatch(known ->
                        known.trigger() == found.trigger() && known.what().equals(found.what()));
        if (!told) {
            violations.add(found);
        }
    }

    private static @Nullable String wrong(StageReport report) {
        return switch (report.outcome()) {
            case FAILED -> "throws " + report.cause();
            case TIMED_OUT -> hasBegun(report) ? "does not end within its limit" : null;
            case MISSED -> report.reason() == StageReason.NULL_ANSWER ? "returns null" : null;
            default -> null;
        };
    }

    /** A busy machine may have no thread for a stage in time, which is not the stage's doing. */
    private static boolean hasBegun(StageReport report) {
        return !(report.cause() instanceof StageTimeoutException late) || late.bodyStarted();
    }

    private Violation violation(String what, List<StageReport> trail, @Nullable Throwable cause) {
        return new Violation(trigger, without, what, trail, cause);
    }

    /** The first stage that no run has left. */
    private String hanging() {
        for (StageView stage : view.stages()) {
            if (stage.reached() == 0) {
                return stage.name();
            }
        }
        return "the call";
    }

    private static Throwable whereItIs(Thread caller) {
        Throwable where = new Throwable("where it hangs");
        where.setStackTrace(caller.getStackTrace());
        return where;
    }

    @Override
    public void close() {
        commands.close();
    }
}
