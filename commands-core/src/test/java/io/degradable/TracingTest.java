package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Tracing;
import brave.context.slf4j.MDCScopeDecorator;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.CurrentTraceContext;
import brave.propagation.StrictScopeDecorator;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import io.degradable.context.PropagatedContext;
import io.degradable.event.RunObserver;
import io.degradable.micrometer.CommandObservations;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.contextpropagation.ObservationAwareSpanThreadLocalAccessor;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** Runs in the traces of a real tracer, Brave, which is strict about scopes: left open, or closed elsewhere, each is an error. */
@Timeout(30)
final class TracingTest {

    private static final Duration LIMIT = Duration.ofMillis(100);

    private final ManualTicker ticker = new ManualTicker();
    private final Map<String, MutableSpan> spans = new ConcurrentHashMap<>();
    private final List<String> ended = new CopyOnWriteArrayList<>();
    private final StrictScopeDecorator strict = StrictScopeDecorator.create();
    private final CurrentTraceContext scopes = ThreadLocalCurrentTraceContext.newBuilder()
            .addScopeDecorator(MDCScopeDecorator.get())
            .addScopeDecorator(strict)
            .build();
    private final Tracing tracing = Tracing.newBuilder()
            .currentTraceContext(scopes)
            .addSpanHandler(new SpanHandler() {
                @Override
                public boolean end(TraceContext context, MutableSpan span, Cause cause) {
                    spans.put(span.name(), span);
                    ended.add(span.name());
                    return true;
                }
            })
            .build();
    private final Tracer tracer = new BraveTracer(tracing.tracer(), new BraveCurrentTraceContext(scopes));
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final ContextRegistry accessors = new ContextRegistry()
            .registerThreadLocalAccessor(new ObservationThreadLocalAccessor(registry))
            .registerThreadLocalAccessor(new ObservationAwareSpanThreadLocalAccessor(registry, tracer))
            .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());

    TracingTest() {
        registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
    }

    /** A future is completed before the thread that does so has put back what it had. */
    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        LibraryThreads.assertThatAllEnd("tracing");
        assertThat(tracer.currentSpan()).isNull();
        strict.close(); // throws for each scope that is open, with the place where it was opened
        tracing.close();
        MDC.clear();
    }

    private Commands.Builder propagating() {
        return Commands.builder().name("tracing").ticker(ticker).carry(new PropagatedContext(accessors));
    }

    private Commands.Builder traced() {
        return propagating().observe(CommandObservations.in(registry));
    }

    private void spanOf(String work) {
        tracer.nextSpan().name(work).start().end();
    }

    private static String mdc() {
        return MDC.get("traceId") + "/" + MDC.get("spanId") + " for " + MDC.get("user");
    }

    private MutableSpan span(String name) {
        MutableSpan span = spans.get(name);
        assertThat(span).as(name + " of " + ended).isNotNull();
        return span;
    }

    private void assertThatParentOf(String child, String parent) {
        assertThat(span(child).parentId())
                .as("parent of " + child)
                .isEqualTo(span(parent).id());
        assertThat(span(child).traceId()).isEqualTo(span(parent).traceId());
    }

    private static void assertThatNobodyMadeMistakes(Commands commands) {
        assertThat(commands.listenerMistakes()).isZero();
        assertThat(commands.commands())
                .allSatisfy(command -> assertThat(command.stages())
                        .allSatisfy(stage -> assertThat(stage.userMistakes()).isZero()));
    }

    @ParameterizedTest
    @EnumSource
    void a_run_is_a_span_of_its_callers_trace_and_what_its_stages_do_are_spans_of_the_run(EntryPoint entry)
            throws Exception {
        Queue<String> logged = new ConcurrentLinkedQueue<>();
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            logged.add(mdc());
                            Observation.createNotStarted("in spare", registry).observe(() -> {});
                            throw new IOException("down, too");
                        })
                        .template(StaticTemplate.of("last", "template"), (template, call) -> {
                            logged.add(mdc());
                            spanOf("in fill");
                            return template;
                        }))
                .build();
        Commands commands = traced().listener(event -> heard.add(mdc())).build();
        MDC.put("user", "ann");
        Call call = new Call(commands, spec, "1", () -> {
            logged.add(mdc());
            spanOf("in primary");
            throw new IOException("down");
        });
        try (commands) {
            Observation.createNotStarted("caller", registry).observeChecked(() -> {
                String before = mdc();
                entry.run(call);
                assertThat(mdc()).as("after the run").isEqualTo(before);
            });
        }

        assertThat(ended).containsExactly("in primary", "in spare", "in fill", "Call", "caller");
        assertThatParentOf("Call", "caller");
        assertThatParentOf("in primary", "Call");
        assertThatParentOf("in spare", "Call");
        assertThatParentOf("in fill", "Call");
        MutableSpan run = span("Call");
        assertThat(run.annotations())
                .extracting(Map.Entry::getValue)
                .containsExactly("primary failed: exception", "second failed: exception", "static answered");
        assertThat(run.annotations()).extracting(Map.Entry::getKey).isSorted();
        assertThat(run.tags())
                .containsEntry("command", "Call")
                .containsEntry("group", "test")
                .containsEntry("outcome", "degraded")
                .containsEntry("source", "static")
                .containsEntry("trigger", "failure")
                .containsKey("call.id");
        assertThat(run.error()).isNull();
        String ofRun = run.traceId() + "/" + run.id() + " for ann";
        assertThat(logged).containsExactly(ofRun, ofRun, ofRun);
        assertThat(heard).hasSize(4).containsOnly(ofRun);
        assertThatNobodyMadeMistakes(commands);
    }

    @Test
    void a_command_that_depends_on_the_answer_of_another_is_its_sibling_and_one_inside_its_body_its_child() {
        CommandSpec<Call, String> first = Call.declared().name("first").build();
        CommandSpec<Call, String> then = Call.declared().name("then").build();
        CommandSpec<Call, String> inside = Call.declared().name("inside").build();
        Commands commands = traced().build();
        try (commands) {
            String answer = Observation.createNotStarted("caller", registry)
                    .observe(() -> new Call(
                                    commands, first, "1", () -> new Call(commands, inside, "1", () -> "a").execute())
                            .toMaybe()
                            .flatMap(given -> new Call(commands, then, "2", () -> given + "b").toMaybe())
                            .blockingGet());

            assertThat(answer).isEqualTo("ab");
        }

        assertThatParentOf("inside", "first");
        assertThatParentOf("first", "caller");
        assertThatParentOf("then", "caller");
        assertThatNobodyMadeMistakes(commands);
    }

    /** The way of one who watches no runs, but has context-propagation. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void without_observations_of_runs_what_a_body_does_belongs_to_the_span_of_the_caller(boolean callerObserved)
            throws Exception {
        Commands commands = propagating().build();
        Call call = new Call(commands, Call.declared().build(), "1", () -> {
            spanOf("in primary");
            return MDC.get("traceId");
        });
        String traceId;
        try (commands) {
            if (callerObserved) {
                traceId = Observation.createNotStarted("caller", registry)
                        .observeChecked(() -> call.queue().get());
            } else {
                Span caller = tracer.nextSpan().name("caller").start();
                Tracer.SpanInScope scope = tracer.withSpan(caller);
                traceId = call.queue().get();
                scope.close();
                caller.end();
            }
        }

        assertThatParentOf("in primary", "caller");
        assertThat(traceId).isEqualTo(span("caller").traceId());
        assertThatNobodyMadeMistakes(commands);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_body_that_runs_on_stays_in_the_trace_and_its_worker_keeps_nothing_of_it(boolean callerWaits)
            throws Exception {
        HeldCall held = new HeldCall();
        AtomicBoolean followed = new AtomicBoolean(true);
        RunObserver observations = CommandObservations.in(registry);
        CommandSpec<Call, String> spec = Call.declared()
                .timeout(LIMIT)
                .threadPool(pool -> pool.named("one").size(1).queue(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        Commands commands = propagating()
                .observe(command -> followed.get() ? observations.begins(command) : null)
                .build();
        try (commands;
                Callers callers = new Callers()) {
            Call hanging = new Call(commands, spec, "1", () -> {
                String answer = held.call();
                spanOf("late");
                return answer;
            });
            FutureTask<CommandResult<String>> answer = callers.start(() -> callerWaits
                    ? hanging.executeForResult()
                    : hanging.queueForResult().get());
            held.untilStarted(1);
            ticker.advance(LIMIT);
            assertThat(answer.get().source()).isEqualTo(Source.STATIC);
            assertThat(ended).as("stopped while the body runs on").containsExactly("Call");

            followed.set(false);
            FutureTask<CommandResult<String>> next = callers.call(new Call(
                    commands,
                    spec,
                    "2",
                    () -> "worker has " + registry.getCurrentObservationScope() + ", " + tracer.currentSpan() + ", "
                            + MDC.get("traceId")));
            held.letGo();

            assertThat(next.get().value()).isEqualTo("worker has null, null, null");
        }
        assertThat(ended).containsExactly("Call", "late");
        assertThatParentOf("late", "Call");
        assertThat(span("Call").annotations())
                .extracting(Map.Entry::getValue)
                .containsExactly("primary timed out: timeout", "static answered");
        assertThatNobodyMadeMistakes(commands);
    }
}
