import Testing

@testable import TrolleyPostgres

@Suite(.timeLimit(.minutes(20))) struct ExchangeTests {
    @Test func `two commands, a sync, and then it is done`() {
        var exchange = Exchange(parts: 2)
        #expect(exchange.next(.started) == .flush)
        #expect(exchange.next(.flushed(everything: true)) == .takeResult)
        #expect(exchange.next(.busy) == .wait(.readable))
        #expect(exchange.next(.ready(readable: true, writable: false)) == .consume)
        #expect(exchange.next(.consumed) == .takeResult)
        #expect(exchange.next(.result(.success)) == .takeResult)
        #expect(exchange.next(.noResult) == .takeResult)
        #expect(exchange.current == 1)
        #expect(exchange.next(.result(.success)) == .takeResult)
        #expect(exchange.next(.noResult) == .takeResult)
        #expect(exchange.next(.result(.sync)) == .done)
        #expect(exchange.outcomes == [.success, .success])
    }

    @Test func `while something is unsent it reads too, so that neither side waits for the other`() {
        var exchange = Exchange(parts: 1)
        _ = exchange.next(.started)
        #expect(exchange.next(.flushed(everything: false)) == .takeResult)
        #expect(exchange.next(.busy) == .wait(.either))
        #expect(exchange.next(.ready(readable: true, writable: false)) == .consume)
        #expect(exchange.next(.consumed) == .flush)
        #expect(exchange.next(.flushed(everything: false)) == .takeResult)
        #expect(exchange.next(.busy) == .wait(.either))
        #expect(exchange.next(.ready(readable: false, writable: true)) == .flush)
        #expect(exchange.next(.flushed(everything: true)) == .takeResult)
        #expect(exchange.next(.busy) == .wait(.readable))
    }

    @Test func `commands after a failure are aborted, up to the sync`() {
        var exchange = Exchange(parts: 3)
        for event: Exchange.Event in [
            .started, .flushed(everything: true), .result(.success), .noResult, .result(.failure), .noResult,
            .result(.aborted), .noResult,
        ] {
            #expect(exchange.next(event) != .done)
        }
        #expect(exchange.next(.result(.sync)) == .done)
        #expect(exchange.outcomes == [.success, .failure, .aborted])
    }

    @Test func `a broken connection fails it in any state`() {
        var exchange = Exchange(parts: 1)
        _ = exchange.next(.started)
        #expect(exchange.next(.broke) == .fail(.connection))
    }

    @Test(
        arguments: [
            [.result(.sync)],
            [.noResult],
            [.result(.unsupported)],
            [.result(.success), .noResult, .result(.success)],
            [.result(.success), .noResult, .noResult],
        ] as [[Exchange.Event]])
    func `an answer that doesn't belong is a violation`(_ events: [Exchange.Event]) {
        var exchange = Exchange(parts: 1)
        _ = exchange.next(.started)
        var step = exchange.next(.flushed(everything: true))
        for event in events { step = exchange.next(event) }
        #expect(step == .fail(.protocolViolation))
    }

    @Test func `a script has any number of results, and no sync`() {
        var exchange = Exchange.script
        _ = exchange.next(.started)
        _ = exchange.next(.flushed(everything: true))
        #expect(exchange.next(.result(.success)) == .takeResult)
        #expect(exchange.next(.result(.failure)) == .takeResult)
        #expect(exchange.next(.noResult) == .done)
        #expect(exchange.outcomes == [.failure])
    }
}
