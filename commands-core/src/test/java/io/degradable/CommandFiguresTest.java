package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H1: what a class declares once is what all its calls run with. The figures are none of the defaults. */
@Timeout(30)
final class CommandFiguresTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();

    private final CommandSpec<Call, String> spec = CommandSpec.of(Call.class)
            .name("get-product")
            .group("catalog")
            .threadPool(pool -> pool.named("catalog-pool").size(1))
            .timeout(Duration.ofMillis(150))
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(8)
                    .errorThresholdPercentage(75)
                    .sleepWindow(Duration.ofSeconds(2)))
            .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
            .build();

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandResult<String> good() {
        return new Call(commands, spec, "1", () -> "live").executeForResult();
    }

    private CommandResult<String> bad() {
        return new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })
                .executeForResult();
    }

    @Test
    @DisplayName("H1: keys")
    void name_group_and_pool_are_those_declared() {
        String thread =
                new Call(commands, spec, "1", () -> Thread.currentThread().getName()).execute();

        assertThat(thread).contains("catalog-pool");
        assertThat(commands.commands()).singleElement().satisfies(command -> {
            assertThat(command.key().name()).isEqualTo("get-product");
            assertThat(command.key().group()).isEqualTo("catalog");
        });
        assertThat(commands.pools())
                .singleElement()
                .satisfies(pool -> assertThat(pool.name()).isEqualTo("catalog-pool"));
    }

    @Test
    @DisplayName("H1: the timeout")
    void a_body_has_exactly_its_timeout() throws Exception {
        try (Callers callers = new Callers()) {
            var answer = callers.call(new Call(commands, spec, "1", () -> {
                new java.util.concurrent.CountDownLatch(1).await();
                return "never";
            }));
            ticker.untilWaiting(1);
            ticker.advance(Duration.ofMillis(150).minusNanos(1));
            assertThat(answer.isDone()).isFalse();

            ticker.advance(Duration.ofNanos(1));

            assertThat(answer.get().elapsed()).isEqualTo(Duration.ofMillis(150));
            assertThat(answer.get().trail())
                    .extracting(StageReport::reason)
                    .containsExactly(StageReason.TIMEOUT, StageReason.ANSWER);
        }
    }

    @Test
    @DisplayName("H1: the breaker")
    void it_opens_at_eight_calls_of_which_six_are_bad_and_for_two_seconds() {
        good();
        good();
        for (int call = 0; call < 5; call++) {
            bad();
        }
        good();
        assertThat(bad().trigger()).isEqualTo(Trigger.FAILURE); // 6 of 9 are 66 %
        bad();
        bad();
        assertThat(bad().trigger()).isEqualTo(Trigger.FAILURE); // 9 of 12 are 75 %

        assertThat(good().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        ticker.advance(Duration.ofSeconds(2).minusNanos(1));
        assertThat(good().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        ticker.advance(Duration.ofNanos(1));
        assertThat(good().source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    @DisplayName("H1: the volume")
    void it_does_not_open_before_the_eighth_call() {
        for (int call = 0; call < 8; call++) {
            assertThat(bad().trigger()).isEqualTo(Trigger.FAILURE);
        }

        assertThat(bad().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
    }
}
