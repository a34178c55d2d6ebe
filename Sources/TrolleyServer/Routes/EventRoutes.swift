import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyStore

struct EventRoutes: Sendable {
    let hub: EventHub

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/events") { request, context -> Response in
            let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
            if context.wantsHeadOnly { return Response(status: .ok, headers: headers, body: .omitted) }
            let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
            let channel = context.channel
            let subscription = try await hub.subscribe(context.session, lastEventID: lastEventID)
            channel.closeFuture.whenComplete { [hub] _ in hub.unsubscribe(subscription) }
            return Response(
                status: .ok, headers: headers,
                body: ResponseBody { _ in
                    try await StreamHandler.handOver(subscription, to: channel)
                    // Throwing is the only way to end the task that serves the connection before the connection closes.
                    throw StreamHandedOver()
                })
        }
    }
}

/// Not a failure: the stream was handed over.
private struct StreamHandedOver: Error {}
