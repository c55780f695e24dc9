package io.degradable.internal.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.model.StageReason;
import org.junit.jupiter.api.Test;

/** The two bulkheads whose bodies run on their callers' threads. */
final class CallersBulkheadTest {

    @Test
    void a_semaphore_lets_so_many_in_at_once() {
        SemaphoreBulkhead semaphore = new SemaphoreBulkhead(2);

        assertThat(semaphore.tryEnter()).isTrue();
        assertThat(semaphore.tryEnter()).isTrue();
        assertThat(semaphore.tryEnter()).isFalse();
        assertThat(semaphore.active()).isEqualTo(2);
        assertThat(semaphore.queued()).isZero();
        assertThat(semaphore.limit()).isEqualTo(2);
        assertThat(semaphore.full()).isEqualTo(StageReason.SEMAPHORE_FULL);

        semaphore.exit();
        assertThat(semaphore.active()).isEqualTo(1);
        assertThat(semaphore.tryEnter()).isTrue();
    }

    @Test
    void inline_there_is_no_bound() {
        InlineBulkhead inline = InlineBulkhead.INSTANCE;

        for (int call = 0; call < 1_000; call++) {
            assertThat(inline.tryEnter()).isTrue();
        }
        inline.exit();

        assertThat(inline.active()).isZero();
        assertThat(inline.queued()).isZero();
        assertThatThrownBy(inline::full)
                .isInstanceOf(AssertionError.class)
                .hasMessage("an inline body is never refused");
    }
}
