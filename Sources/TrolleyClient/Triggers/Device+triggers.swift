import Logging
import Synchronization
public import TrolleyJournal
public import TrolleySync
import TrolleyWire

extension Device {
    /// What a device that stays open should act on: the service's hints, a connection that works again, and the interval in
    /// case a hint was lost. Hints carry no data.
    ///
    /// ```swift
    /// for await event in device.events(every: .seconds(30)) {
    ///     switch event {
    ///     case .sync(let trigger): _ = try await device.sync(trigger)
    ///     case .presence, .summary: break
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - interval: the time between two syncs without a hint.
    ///   - list: the list that the person has open. Its ``DeviceEvent/presence(_:)`` comes at once, and again before the
    ///     service forgets that the person has it open.
    public func events(every interval: Duration, open list: ListID? = nil) -> DeviceEvents {
        let feed = DeviceEventFeed()
        feed.add(.sync(.launch))
        if let list {
            feed.add(.presence(list))
            feed.addSource { [weak feed] in
                while !Task.isCancelled {
                    do { try await Task.sleep(for: Self.presenceInterval) } catch { return }
                    feed?.add(.presence(list))
                }
            }
        }
        feed.addSource { [weak feed] in
            while !Task.isCancelled {
                do { try await Task.sleep(for: interval) } catch { return }
                feed?.add(.sync(.timer))
            }
        }
        feed.addSource { [weak feed, weak self, log] in
            await Self.hear(longestPause: interval, over: { try await self?.transport() }, log) {
                feed?.add($0)
            } notePlaced: {
                self?.placesHaveChanged.store(true, ordering: .relaxed)
            }
        }
        return DeviceEvents(feed: feed)
    }

    /// A report of presence holds for a minute.
    private static let presenceInterval: Duration = .seconds(25)

    /// The moments at which a device that stays open should sync: the triggers among ``events(every:open:)``.
    ///
    /// ```swift
    /// for await trigger in device.triggers(every: .seconds(60)) { _ = try? await device.sync(trigger) }
    /// ```
    public func triggers(every interval: Duration) -> AsyncStream<Trigger> {
        let feed = events(every: interval).feed
        return AsyncStream {
            while let event = await feed.next() {
                if case .sync(let trigger) = event { return trigger }
            }
            return nil
        }
    }

    /// Listens to the service's event streams, one after the other.
    /// - Parameters:
    ///   - longestPause: the longest pause between two streams.
    ///   - transport: the connection to the service; nil when the device is gone.
    private static func hear(
        longestPause: Duration, over transport: () async throws -> HTTPTransport?, _ log: Logger,
        _ add: (DeviceEvent) -> Void, notePlaced: () -> Void
    ) async {
        var parser = EventStreamParser()
        var failures = 0
        while !Task.isCancelled {
            do {
                guard let transport = try await transport() else { return }
                parser = EventStreamParser(lastEventID: parser.lastEventID)
                try await transport.hear(after: parser.lastEventID) {
                    failures = 0
                    log.debug("hints: connected")
                    // The network is back, so nothing needs to wait for it any longer.
                    add(.sync(.network))
                } _: { part in
                    for event in parser.read(part) {
                        guard let hint = ServiceHint(event) else { continue }
                        log.debug("hint", metadata: ["kind": "\(event.name)"])
                        if hint == .placed { notePlaced() }
                        add(DeviceEvent(hint))
                    }
                    // Otherwise this is not an event stream of a Trolley service.
                    return !parser.isBroken
                }
            } catch {
                // A lost hint does no harm: the timer syncs later.
            }
            let pause = min(longestPause, .seconds(1 << min(failures, 10)))
            failures += 1
            let wait = pause * Double.random(in: 0.5..<1)
            log.noteWait(wait, for: "the next event stream")
            do { try await Task.sleep(for: wait) } catch { return }
        }
    }
}

extension DeviceEvent {
    fileprivate init(_ hint: ServiceHint) {
        switch hint {
        case .changes, .placed: self = .sync(.push)
        // The answer to a report of presence brings the hails, too.
        case .presence(let list), .hail(let list): self = .presence(list)
        case .summary: self = .summary
        }
    }
}
