package io.degradable.internal.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandEvent.RetryBudgetExhausted;
import io.degradable.internal.execution.EventQueue.Entry;
import io.degradable.model.CommandKey;
import io.degradable.testing.Caller;
import io.degradable.testing.Race;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits to be told is in order, bounded, and whole, whoever adds and takes at once. */
@Timeout(30)
final class EventQueueTest {

    private static final int ADDERS = 3;
    private static final int TAKERS = 2;
    private static final int EACH = 5_000;

    private static Entry entry(String who, long number) {
        return new Entry(null, List.of(new RetryBudgetExhausted(new CommandKey(who, "group"), number)));
    }

    private static RetryBudgetExhausted event(Entry entry) {
        List<CommandEvent> events = entry.events();
        return (RetryBudgetExhausted) events.get(0);
    }

    private static List<RetryBudgetExhausted> takeAll(EventQueue queue) {
        List<RetryBudgetExhausted> taken = new ArrayList<>();
        for (Entry next = queue.take(); next != null; next = queue.take()) {
            taken.add(event(next));
        }
        return taken;
    }

    @SuppressWarnings("ThreadPriorityCheck") // who finds nothing lets those who add come
    @Test
    void each_is_taken_once_and_nobody_takes_the_later_of_two_first() throws Exception {
        EventQueue queue = new EventQueue(Integer.MAX_VALUE);
        AtomicInteger adding = new AtomicInteger(ADDERS);

        List<List<RetryBudgetExhausted>> sides;
        try (Race race = new Race(ADDERS + TAKERS)) {
            sides = race.round(side -> {
                List<RetryBudgetExhausted> taken = new ArrayList<>();
                if (side < ADDERS) {
                    for (long number = 0; number < EACH; number++) {
                        queue.add(entry("adder-" + side, number));
                    }
                    adding.decrementAndGet();
                    return taken;
                }
                boolean last = false;
                while (!last) {
                    last = adding.get() == 0; // read before it is emptied
                    taken.addAll(takeAll(queue));
                    Thread.yield();
                }
                return taken;
            });
        }

        for (int adder = 0; adder < ADDERS; adder++) {
            String name = "adder-" + adder;
            List<Long> numbers = new ArrayList<>();
            for (List<RetryBudgetExhausted> taken : sides) {
                List<Long> own = taken.stream()
                        .filter(event -> event.command().name().equals(name))
                        .map(RetryBudgetExhausted::overBudget)
                        .toList();
                assertThat(own).isSorted();
                numbers.addAll(own);
            }
            assertThat(numbers)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, EACH).boxed().toList());
        }
    }

    @Test
    void of_those_who_take_at_once_nobody_gets_what_another_has() throws Exception {
        int waiting = 20_000;
        try (Race race = new Race(TAKERS)) {
            for (int round = 0; round < 20; round++) {
                EventQueue queue = new EventQueue(waiting);
                for (int number = 0; number < waiting; number++) {
                    queue.add(entry("adder", number));
                }

                List<List<RetryBudgetExhausted>> taken = race.round(side -> takeAll(queue));

                assertThat(taken.stream().mapToInt(List::size).sum()).isEqualTo(waiting);
            }
        }
    }

    @Test
    void as_many_wait_as_may_and_one_that_was_taken_makes_room_for_one() throws Exception {
        int capacity = 1_000;
        EventQueue queue = new EventQueue(capacity);

        List<Integer> added;
        try (Race race = new Race(ADDERS)) {
            added = race.round(side -> {
                int own = 0;
                for (int number = 0; number < capacity; number++) {
                    own += queue.add(entry("adder", number)) ? 1 : 0;
                }
                return own;
            });
        }

        assertThat(added.stream().mapToInt(own -> own).sum()).isEqualTo(capacity);
        assertThat(queue.take()).isNotNull();
        assertThat(queue.add(entry("late", 1))).isTrue();
        assertThat(queue.add(entry("late", 2))).isFalse();
        assertThat(takeAll(queue)).hasSize(capacity).last().isEqualTo(event(entry("late", 1)));
        assertThat(queue.isEmpty()).isTrue();
    }

    /** Adds again and again, each time a little further from the end of the stack. */
    private static final class Descent {

        private static final int FRAMES = 50;

        private final EventQueue queue;
        private final Entry[] entries;
        private int at;
        private int added;
        private int overflown;

        Descent(EventQueue queue, Entry[] entries) {
            this.queue = queue;
            this.entries = entries;
        }

        /** A few frames away, so that the end of the stack comes in each step of it at times, compiled or not. */
        private boolean addBehind(int frames, Entry mine) {
            return frames == 0 ? queue.add(mine) : addBehind(frames - 1, mine);
        }

        @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
        void down() {
            try {
                down();
            } catch (StackOverflowError bottom) {
                // from here on upwards
            }
            if (at < entries.length) {
                Entry mine = entries[at];
                at++;
                try {
                    if (addBehind(at % FRAMES, mine)) {
                        added++;
                    }
                } catch (StackOverflowError atTheEnd) {
                    overflown++;
                }
            }
        }
    }

    @Test
    void at_the_end_of_a_stack_it_is_added_or_not() {
        int overflown = 0;
        for (int round = 0; round < 50; round++) {
            EventQueue queue = new EventQueue(Integer.MAX_VALUE);
            Entry[] entries = new Entry[300];
            Arrays.setAll(entries, number -> entry("deep", number));

            Descent descent = Caller.calls(() -> {
                        Descent own = new Descent(queue, entries);
                        own.down();
                        return own;
                    })
                    .result();

            assertThat(takeAll(queue)).hasSize(descent.added);
            overflown += descent.overflown;
        }
        assertThat(overflown).as("those that had too little stack").isPositive();
    }
}
