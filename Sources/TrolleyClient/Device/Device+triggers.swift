import AsyncHTTPClient
import NIOCore
import NIOHTTP1
public import TrolleySync
import TrolleyWire

extension Device {
    /// The moments at which an open device should sync: each hint from the service, a connection that works again, and
    /// the interval in case a hint was lost. Hints carry no data, and several hints at once become one.
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
                    // A connection shows that the network is back, so nothing needs to wait for it any longer.
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

    /// Listens for hints until the connection ends. Without a connection, the timer is enough.
    private func listen(_ connected: () -> Void, hint: () -> Void) async {
        do {
            let events = try await transport().events()
            connected()
            for try await _ in events { hint() }
        } catch {
            // A lost hint does no harm: the timer syncs later.
        }
    }
}

extension HTTPTransport {
    /// The service's event stream. Each chunk contains at least one hint.
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
