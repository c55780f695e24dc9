package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.model.CommandResult;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S3: one deadline covers everything, and user code can ask for what is left. */
@Timeout(30)
final class RunDeadlineTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<Duration> left = new ArrayList<>();

    @AfterEach
    void close() {
        release.countDown();
        callers.close();
        commands.close();
    }

    private static Call call(Commands commands, CommandSpec<Call, String> spec, Callable<String> body) {
        return new Call(commands, spec, "1", body);
    }

    @Test
    void of_300_ms_with_250_spent_there_are_50_left_for_whoever_comes_next() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .timeout(Duration.ofMillis(280))
                .deadline(Duration.ofMillis(300))
                .fallback(chain -> chain.within(Duration.ofMillis(250)).spareCall("second", (call, context) -> {
                    left.add(Deadline.current().remaining());
                    return "spare";
                }))
                .build();

        call(commands, spec, () -> {
                    left.add(Deadline.current().remaining());
                    ticker.advance(Duration.ofMillis(250));
                    throw new IOException("down");
                })
                .execute();

        assertThat(left).containsExactly(Duration.ofMillis(280), Duration.ofMillis(50));
    }

    @Test
    void a_pooled_body_can_ask_too() {
        CommandSpec<Call, String> spec =
                Call.declared().timeout(Duration.ofMillis(120)).build();

        call(commands, spec, () -> {
                    left.add(Deadline.current().remaining());
                    return "live";
                })
                .execute();

        assertThat(left).containsExactly(Duration.ofMillis(120));
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void a_nested_run_gets_no_more_than_is_left_of_the_outer_one() {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .semaphore()
                .timeout(Duration.ofSeconds(10))
                .build();
        CommandSpec<Call, String> outer = Call.declared()
                .name("Outer")
                .semaphore()
                .timeout(Duration.ofMillis(100))
                .build();

        call(commands, outer, () -> {
                    ticker.advance(Duration.ofMillis(30));
                    return call(commands, inner, () -> {
                                left.add(Deadline.current().remaining());
                                return "inner";
                            })
                            .execute();
                })
                .execute();

        assertThat(left).containsExactly(Duration.ofMillis(70));
    }

    @Test
    void a_limit_cut_short_by_the_outer_deadline_is_no_failure_of_the_dependency() throws Exception {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .threadPool(pool -> pool.named("inner").size(1))
                .timeout(Duration.ofSeconds(10))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        CommandSpec<Call, String> outer = Call.declared()
                .name("Outer")
                .semaphore()
                .timeout(Duration.ofMillis(100))
                .build();
        List<CommandResult<String>> results = new ArrayList<>();
        FutureTask<CommandResult<String>> answer = callers.call(call(commands, outer, () -> {
            CommandResult<String> result = call(commands, inner, () -> {
                        release.await();
                        return "late";
                    })
                    .executeForResult();
            results.add(result);
            return result.value();
        }));

        ticker.untilWaiting(1);
        ticker.advance(Duration.ofMillis(100));

        assertThat(answer.get().value()).isEqualTo("template");
        assertThat(results)
                .singleElement()
                .satisfies(result -> assertThat(result.trail())
                        .extracting(StageReport::reason)
                        .containsExactly(StageReason.BUDGET, StageReason.ANSWER));
        release.countDown();
        await().until(() -> commands.pools().stream().allMatch(pool -> pool.active() == 0));
        assertThat(commands.commands().stream()
                        .filter(view -> view.key().name().equals("Inner"))
                        .findFirst()
                        .orElseThrow()
                        .stages()
                        .get(0)
                        .circuit()
                        .bad())
                .isZero();
    }
}
