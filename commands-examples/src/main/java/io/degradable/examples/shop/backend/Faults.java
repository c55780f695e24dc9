package io.degradable.examples.shop.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/**
 * The fault in force at one backend, and the requests that wait because of it. A waiting request costs its connection but no
 * thread.
 *
 * <pre>
 *   met --holds--> held --timer, change of fault or client's leaving--> let go, by the one who gets true
 * </pre>
 *
 * <p>Threading: any thread; nothing in here blocks.
 */
final class Faults {
    @GuardedBy("this")
    private Episode episode = new Episode(Fault.up());

    @GuardedBy("this")
    private final Map<Exchange, Episode> held = new LinkedHashMap<>();

    synchronized Fault inForce() {
        return episode.fault();
    }

    /** Says what a request meets, and holds it when that is a fault that does. */
    synchronized Episode meet(Exchange exchange) {
        Episode met = episode;
        if (met.fault().holds()) {
            held.put(exchange, met);
            exchange.watchClient(() -> {
                if (letGo(exchange, met)) {
                    exchange.cut();
                }
            });
        }
        return met;
    }

    /** Takes a held request out. True for one caller only; it has to end the exchange. */
    synchronized boolean letGo(Exchange exchange, Episode met) {
        boolean won = held.remove(exchange, met);
        if (won) {
            exchange.unwatchClient();
        }
        return won;
    }

    /** Sets what is wrong from now on and returns the requests that have to meet it. The fault in force changes nothing. */
    synchronized List<Exchange> set(Fault next) {
        if (next.equals(episode.fault())) {
            return List.of();
        }
        episode = new Episode(next);
        List<Exchange> waiting = new ArrayList<>(held.keySet());
        held.clear();
        waiting.forEach(Exchange::unwatchClient);
        return waiting;
    }
}
