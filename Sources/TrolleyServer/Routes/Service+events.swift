import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import TrolleyStore

extension Service {
    func addEventRoutes(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/events") { request, context -> Response in
            let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
            let subscription = try await hub.subscribe(context.session, lastEventID: lastEventID)
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    defer { hub.unsubscribe(subscription) }
                    // A stream never ends by itself, so it must not hold up the service when that is to stop.
                    try await withGracefulShutdownHandler {
                        for await _ in subscription.wakes {
                            let text = subscription.take()
                            if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                        }
                    } onGracefulShutdown: {
                        subscription.end()
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
