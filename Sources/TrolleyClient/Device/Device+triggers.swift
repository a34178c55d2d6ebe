import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import TrolleySync
import TrolleyWire

extension Device {
    /// When to sync a device that stays open: at once, whenever the service hints that something is new, and every so
    /// often in case a hint was missed. Hints carry no data, and two that come together are one.
    public func triggers(every interval: Duration) -> AsyncStream<Trigger> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            continuation.yield(.launch)
            let timer = Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: interval)
                    continuation.yield(.timer)
                }
            }
            let hints = Task {
                while !Task.isCancelled {
                    // Whoever can listen has a network, perhaps again: what waits for one need wait no longer.
                    await listen {
                        continuation.yield(.network)
                    } hint: {
                        continuation.yield(.push)
                    }
                    try await Task.sleep(for: interval)
                }
            }
            continuation.onTermination = { _ in
                timer.cancel()
                hints.cancel()
            }
        }
    }

    /// Listens for hints until the connection ends. Without a connection the timer will do.
    private func listen(_ connected: () -> Void, hint: () -> Void) async {
        do {
            let events = try await transport().events()
            connected()
            for try await _ in events { hint() }
        } catch {
            // It was never more than a hint.
        }
    }
}

extension HTTPTransport {
    /// The service's events, as they come. Each piece is at least one hint.
    func events() async throws -> HTTPClientResponse.Body {
        var request = HTTPClientRequest(url: server + Path.events)
        request.tlsConfiguration = tls
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await client.execute(request, timeout: .hours(24))
        guard response.status == .ok else { throw TransportError.notUnderstood("HTTP status \(response.status.code)") }
        return response.body
    }
}
