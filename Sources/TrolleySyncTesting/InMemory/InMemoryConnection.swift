package import TrolleyClient
package import TrolleySync
import TrolleyWire

/// A device's connection to a service in memory.
package struct InMemoryConnection: ServiceConnection {
    let service: InMemoryService

    package init(service: InMemoryService) { self.service = service }

    package func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer {
        let fault = service.fault(call.method, call.path)
        switch fault {
        case .lostRequest: throw .unreachable("the connection was refused")
        case .lostResponse, .problem, nil: break
        }
        let answer: ServiceAnswer
        do {
            if case .problem(let problem) = fault { return try ServiceAnswer(problem) }
            answer = try service.answer(call)
        } catch {
            throw .notUnderstood("\(error)")
        }
        if fault == .lostResponse { throw .unreachable("the connection was cut") }
        return answer
    }

    package func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws {
        guard service.fault(call.method, call.path) == nil, let events = service.events(for: call) else {
            throw TransportError.unreachable("the connection was refused")
        }
        opened()
        for await event in events where !take(Array(event.utf8)) { return }
    }

    package func close() async {}
}

extension ServiceAnswer {
    init(_ problem: Problem) throws {
        self.init(status: problem.status, body: try .encoding(problem), retryAfter: problem.retryAfter)
    }
}
