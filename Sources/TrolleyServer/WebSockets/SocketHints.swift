import TrolleyWire

/// The hints of `GET /v1/events` on a socket.
struct SocketHints: Sendable {
    private let subscription: Subscription
    private let hub: EventHub

    init(_ subscription: Subscription, hub: EventHub) {
        self.subscription = subscription
        self.hub = hub
    }

    func listen(_ wake: @escaping @Sendable () -> Void) { subscription.listen(wake) }

    var isEnded: Bool { subscription.isEnded }

    func take() -> [SocketEvent] {
        let (id, hints) = subscription.takeHints()
        return hints.map { .hint($0.name, list: $0.list, sequence: $0.sequence, id: id) }
    }

    func end() {
        subscription.forget()
        hub.unsubscribe(subscription)
    }
}
