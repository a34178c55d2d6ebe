import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// Shows a list on the whole terminal, and keeps it up to date until the person quits.
struct WatchSession {
    let device: Device
    let list: ListID
    let interval: Duration

    private enum Event: Sendable {
        case screen(Screen.Event)
        case trigger(Trigger)
        case progress(SyncProgress)
        case synced([String], [SessionSummary])
        case room(RoomUpdate)
        case failed(any Error)
    }

    /// - Throws: the device's errors, and `noSuchList` once the list has left it.
    func run(on screen: Screen) async throws {
        let (events, eventContinuation) = AsyncStream.makeStream(of: Event.self)
        let sources = [
            Task { for await event in screen.events { eventContinuation.yield(.screen(event)) } },
            Task {
                for await trigger in device.triggers(every: interval) { eventContinuation.yield(.trigger(trigger)) }
            },
            Task { [progress = try await device.progress()] in
                for await step in progress { eventContinuation.yield(.progress(step)) }
            },
        ]
        let room = try? await device.room(on: list)
        let live = Task {
            guard let room else { return }
            for await update in room.updates { eventContinuation.yield(.room(update)) }
        }
        defer { for source in sources + [live] { source.cancel() } }
        var progress = Progress(room: room)
        try await draw(screen, progress)
        for await event in events {
            switch event {
            case .screen(.stop), .screen(.key("q")):
                progress.running?.cancel()
                // Tries for a second only: without it, others find out within a minute.
                await room?.stop()
                await endPresence()
                return
            case .screen(.key("t")): try await device.apply(in: list)
            case .screen(.key("s")): sync(.manual, &progress, eventContinuation)
            case .screen(.key("j")): progress.scrolled += 1
            case .screen(.key("k")): progress.scrolled = max(0, progress.scrolled - 1)
            case .screen(.key("n")): try await look(1, &progress)
            case .screen(.key("p")): try await look(-1, &progress)
            case .screen(.key("x")):
                guard let item = progress.lookedAt else { break }
                try await device.perform([.markOff(item)], on: list)
                await room?.noteChanges()
                sync(.manual, &progress, eventContinuation)
            case .screen: break
            case .room(.view(let view)): progress.live = view
            case .room(.fetch): sync(.push, &progress, eventContinuation)
            case .room(.doubleBuy(let item, let account)): progress.doubleBuy = (item, account)
            case .trigger(let trigger): sync(trigger, &progress, eventContinuation)
            case .progress(let step): progress.step = step
            case .synced(let peoplePresent, let summaries):
                progress.running = nil
                progress.summaries = summaries
                progress.peoplePresent = peoplePresent
                progress.hasSynced = true
                if let next = progress.next.take() { sync(next, &progress, eventContinuation) }
            case .failed(let error): throw error
            }
            try await draw(screen, progress)
        }
    }

    private struct Progress {
        let room: RoomSession?
        /// What the others do now.
        var live = RoomView()
        var doubleBuy: (item: ItemID, account: AccountID)?
        /// The item that the person looks at.
        var lookedAt: ItemID?
        var running: Task<Void, Never>?
        /// The trigger of the next sync, while one runs.
        var next: Trigger?
        var step = SyncProgress.idle
        var peoplePresent: [String] = []
        /// What others did in sessions that have ended, on any list.
        var summaries: [SessionSummary] = []
        var hasSynced = false
        var scrolled = 0
    }

    /// Syncs in a task, while the screen accepts keys.
    private func sync(
        _ trigger: Trigger, _ progress: inout Progress, _ eventContinuation: AsyncStream<Event>.Continuation
    ) {
        if progress.running != nil {
            progress.next = trigger
            return
        }
        progress.running = Task { [room = progress.room] in
            do {
                _ = try await device.sync(trigger, within: .seconds(20))
                eventContinuation.yield(.synced(await peoplePresent(room), await summaries()))
            } catch {
                eventContinuation.yield(.failed(error))
            }
        }
    }

    /// Reports that this person has the list open. Returns the others who do; empty on failure.
    private func peoplePresent(_ room: RoomSession?) async -> [String] {
        do {
            guard let room else { return try await device.announcePresence(on: list).map(\.displayName) }
            let others = try await room.refresh()
            await room.noteChanges()
            let names = try await names()
            return others.map { names[$0] ?? $0.description }
        } catch {
            return []
        }
    }

    /// Empty on failure: the next sync asks again.
    private func summaries() async -> [SessionSummary] {
        do { return try await device.summaries() } catch { return [] }
    }

    /// Each summary with its list's name.
    private func lines(_ summaries: [SessionSummary]) async throws -> [String] {
        guard !summaries.isEmpty else { return [] }
        let lists = try await device.lists()
        return summaries.map { summary in
            let name = lists.first { $0.id == summary.list }?.name
            return name.map { "\(summary.words) (\($0))" } ?? summary.words
        }
    }

    /// The last messages, oldest first: 'Bob: the blue one'.
    private func messageLines() async throws -> [String] {
        let messages = try await device.messages(of: list, limit: WatchView.maximumMessages)
        guard !messages.isEmpty else { return [] }
        let (me, names) = (try await device.session()?.account, (try? await names()) ?? [:])
        return messages.map { message in
            let isMine = message.author == nil || message.author == me
            let name = message.byline(isMine ? "You" : message.author.flatMap { names[$0] } ?? "Somebody")
            let text = message.text.split(whereSeparator: \.isNewline).joined(separator: " ")
            return "\(name): \(text)" + (message.sequence == nil ? "  (not sent yet)" : "")
        }
    }

    private func names() async throws -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for person in try await device.participants(of: list).participants {
            if let account = person.account { names[account] = person.displayName }
        }
        return names
    }

    /// Moves to another item, and tells the others.
    private func look(_ step: Int, _ progress: inout Progress) async throws {
        let items = try await device.shownRows(of: list).map(\.item.id)
        guard !items.isEmpty else { return }
        let place = progress.lookedAt.flatMap { items.firstIndex(of: $0) }
        let next = place.map { ($0 + step + items.count) % items.count } ?? (step > 0 ? 0 : items.count - 1)
        progress.lookedAt = items[next]
        await progress.room?.look(at: items[next])
    }

    /// What the others do, as sentences.
    private func liveLines(_ progress: Progress, _ rows: [ShownRow]) async -> [String] {
        guard progress.live != RoomView() || progress.doubleBuy != nil else { return [] }
        let names = (try? await names()) ?? [:]
        func name(_ account: AccountID) -> String { names[account] ?? "Somebody" }
        func text(_ item: ItemID) -> String { rows.first { $0.item.id == item }?.item.text ?? "a new item" }
        var lines = progress.live.tentative.map { tentative in
            let change = tentative.change
            return "~ \(name(tentative.member.account)) \(change.operation.verb) \(change.text ?? text(change.item)) …"
        }
        if let doubleBuy = progress.doubleBuy {
            lines.append("\(name(doubleBuy.account)) marks off \(text(doubleBuy.item)), too")
        }
        for focus in progress.live.typing.values { lines.append("\(name(focus.account)) is typing") }
        for focus in progress.live.looking.values {
            if let item = focus.item { lines.append("\(name(focus.account)) is looking at \(text(item))") }
        }
        return lines
    }

    private func endPresence() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { do { try await device.endPresence(on: list) } catch { return } }
            group.addTask { do { try await Task.sleep(for: .seconds(1)) } catch { return } }
            await group.next()
            group.cancelAll()
        }
    }

    private func draw(_ screen: Screen, _ progress: Progress) async throws {
        let queues = try await device.queues()
        let own = queues.lists.first { $0.list == list }
        let rows = try await device.shownRows(of: list)
        let view = WatchView(
            state: try await device.state(of: list), rows: rows,
            upload: own?.upload ?? [],
            toApply: own?.toApply.map(\.entry) ?? [], isLocal: own?.isLocal ?? false, waiting: queues.waiting,
            peoplePresent: progress.peoplePresent, live: await liveLines(progress, rows),
            isInRoom: !progress.live.members.isEmpty,
            lookingAt: progress.lookedAt.flatMap { item in rows.first { $0.item.id == item }?.item.text },
            notices: queues.notices, refused: queues.rejected.count,
            summaries: try await lines(progress.summaries), messages: try await messageLines(),
            sync: progress.step.words(try await device.ongoingFailure()), scrolled: progress.scrolled)
        let size = Terminal.size
        screen.show(view.lines(columns: size.columns, rows: size.rows, Terminal()))
        // Also what changes nothing on the screen, such as a second mark of an item, is read. A failure is harmless: the next
        // change reports it again.
        if progress.hasSynced, try await device.summary(of: list).unread > 0 {
            Task { do { try await device.markRead(list) } catch { return } }
        }
    }
}

extension TrolleyJournal.Operation {
    /// What somebody does to an item.
    fileprivate var verb: String {
        switch self {
        case .add: "adds"
        case .edit: "edits"
        case .markOff: "marks off"
        case .unmark: "wants again"
        case .delete: "deletes"
        default: "changes"
        }
    }
}
