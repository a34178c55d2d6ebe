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
        case progress(SyncProgress)
        /// When the next try is due, if one is; and whether the run has changed the journal.
        case synced(nextTry: Timestamp?, hasNews: Bool)
        case peoplePresent([String])
        case summaries([SessionSummary])
        case room(RoomUpdate)
        /// The read mark that was under way; whether it is stored.
        case markedRead(isStored: Bool)
        case failed(any Error)
    }

    /// - Throws: the device's errors, and `noSuchList` once the list has left it.
    func run(on screen: Screen) async throws {
        let (events, eventContinuation) = AsyncStream.makeStream(of: Event.self)
        let room = try? await device.list(list).room()
        let sources = [
            Task { for await event in screen.events { eventContinuation.yield(.screen(event)) } },
            Task {
                do { for try await step in device.status { eventContinuation.yield(.progress(step)) } } catch {
                    // A failure of the device's files ends the session where the list is read.
                }
            },
            Task {
                guard let room else { return }
                for await update in room.updates { eventContinuation.yield(.room(update)) }
            },
            Task {
                for await event in device.events(every: interval, open: list) {
                    await act(on: event, room, eventContinuation)
                }
            },
        ]
        var nextTry: Task<Void, Never>?
        defer { for source in sources + [nextTry].compactMap(\.self) { source.cancel() } }
        var progress = Progress(room: room)
        try await draw(screen, &progress, eventContinuation)
        for await event in events {
            if case .screen(.key) = event { progress.refusal = nil }
            switch event {
            case .screen(.stop), .screen(.key("q")):
                for source in sources { source.cancel() }
                // Tries for a second only: without it, others find out within a minute.
                await room?.stop()
                await endPresence()
                return
            case .screen(.key("t")): try await device.list(list).apply()
            case .screen(.key("s")): Task { await sync(.manual, room, eventContinuation) }
            case .screen(.key("j")): progress.scrolled += 1
            case .screen(.key("k")): progress.scrolled = max(0, progress.scrolled - 1)
            case .screen(.key("n")): try await look(1, &progress)
            case .screen(.key("p")): try await look(-1, &progress)
            case .screen(.key("x")):
                guard let item = progress.lookedAt else { break }
                progress.refusal = try await markOff(item)
                if progress.refusal != nil { break }
                await room?.noteChanges()
                Task { await sync(.ownChange, room, eventContinuation) }
            case .screen: break
            case .room(.view(let view)): progress.live = view
            case .room(.fetch): Task { await sync(.push, room, eventContinuation) }
            case .room(.doubleBuy(let item, let account)): progress.doubleBuy = (item, account)
            case .progress(let step): progress.step = step
            case .synced(let due, let hasNews):
                progress.hasSynced = true
                try await noteDoubleBuys(hasNews, &progress)
                nextTry?.cancel()
                nextTry = due.map { due in Task { await syncAgain(at: due, room, eventContinuation) } }
            case .peoplePresent(let names): progress.peoplePresent = names
            case .summaries(let summaries): progress.summaries = summaries
            case .markedRead(let isStored):
                progress.isMarkingRead = false
                // If it failed, the next change tries again. Otherwise this frame marks what has come meanwhile.
                guard isStored else { continue }
            case .failed(let error): throw error
            }
            try await draw(screen, &progress, eventContinuation)
        }
    }

    private struct Progress {
        let room: RoomSession?
        /// What the others do now.
        var live = RoomView()
        var doubleBuy: (item: ItemID, account: AccountID)?
        var toldDoubleBuys = ToldDoubleBuys()
        /// The item that the person looks at.
        var lookedAt: ItemID?
        /// Why the last key had no effect.
        var refusal: String?
        var step = SyncProgress.idle
        var peoplePresent: [String] = []
        /// What others did in sessions that have ended, on any list.
        var summaries: [SessionSummary] = []
        var hasSynced = false
        /// Whether a read mark is on its way.
        var isMarkingRead = false
        var scrolled = 0
    }

    /// - Returns: why the item can't be marked off; nil: it was.
    private func markOff(_ item: ItemID) async throws -> String? {
        do {
            _ = try await device.list(list).perform([.markOff(item)])
            return nil
        } catch let error where error == .readOnly {
            return error.statement
        }
    }

    /// Shows a double buy that has come into the journal.
    private func noteDoubleBuys(_ hasNews: Bool, _ progress: inout Progress) async throws {
        guard hasNews || !progress.toldDoubleBuys.hasLooked else { return }
        let (found, me) = (try await device.list(list).doubleBuys(), try await device.session()?.account)
        if let news = progress.toldDoubleBuys.news(in: found, for: me) { progress.doubleBuy = news }
    }

    /// Acts on what the device hears, one event after the other. Events that come meanwhile wait.
    private func act(
        on event: TrolleyClient.DeviceEvent, _ room: RoomSession?, _ eventContinuation: AsyncStream<Event>.Continuation
    ) async {
        switch event {
        case .sync(let trigger):
            await sync(trigger, room, eventContinuation)
            // What the service announced while nobody listened.
            if trigger == .launch || trigger == .network { eventContinuation.yield(.summaries(await summaries())) }
        case .presence(list): eventContinuation.yield(.peoplePresent(await peoplePresent(room)))
        case .presence: break
        case .summary: eventContinuation.yield(.summaries(await summaries()))
        }
    }

    /// Syncs. Calls that overlap share a run.
    private func sync(
        _ trigger: Trigger, _ room: RoomSession?, _ eventContinuation: AsyncStream<Event>.Continuation
    ) async {
        do {
            let report = try await device.sync(trigger, within: .seconds(20))
            await room?.noteChanges()
            let hasNews = report.sent + report.received > 0
            eventContinuation.yield(.synced(nextTry: report.nextTry, hasNews: hasNews))
        } catch {
            eventContinuation.yield(.failed(error))
        }
    }

    /// Syncs when the next try is due, unless another sync says otherwise before.
    private func syncAgain(
        at due: Timestamp, _ room: RoomSession?, _ eventContinuation: AsyncStream<Event>.Continuation
    ) async {
        let wait = max(0, due.milliseconds - Timestamp.now().milliseconds) + 1
        do { try await Task.sleep(for: .milliseconds(wait)) } catch { return }
        // Not in this task, which the sync's own event cancels.
        Task { await sync(.timer, room, eventContinuation) }
    }

    /// Reports that this person has the list open. Returns the others who do; empty on failure.
    private func peoplePresent(_ room: RoomSession?) async -> [String] {
        do {
            guard let room else { return try await device.list(list).announcePresence().map(\.displayName) }
            let others = try await room.refresh()
            let names = try await device.list(list).names()
            return others.map { names[$0] ?? somebody }
        } catch {
            return []
        }
    }

    /// Empty on failure: the next sync asks again.
    private func summaries() async -> [SessionSummary] {
        do { return try await device.notifications.summaries() } catch { return [] }
    }

    /// Each summary with its list's name.
    private func lines(_ summaries: [SessionSummary], _ lists: [ListQueues]) -> [String] {
        summaries.map { summary in
            let name = lists.first { $0.list == summary.list }?.name
            return name.map { "\(summary.words) (\($0))" } ?? summary.words
        }
    }

    /// The last messages, oldest first: 'Bob: the blue one'.
    func messageLines(_ watched: WatchedList) -> [String] {
        watched.messages.map { message in
            let isMine = message.author == nil || message.author == watched.account
            let name = message.byline(
                isMine ? localized("You", de: "Du") : message.author.flatMap { watched.names[$0] } ?? somebody)
            let text = message.text.split(whereSeparator: \.isNewline).joined(separator: " ")
            let note = localized("  (not sent yet)", de: "  (noch nicht gesendet)")
            return "\(name): \(text)" + (message.sequence == nil ? note : "")
        }
    }

    private var somebody: String { localized("Somebody", de: "Jemand") }

    /// Moves to another item, and tells the others.
    private func look(_ step: Int, _ progress: inout Progress) async throws {
        let items = try await device.list(list).shownRows().map(\.item.id)
        guard !items.isEmpty else { return }
        let place = progress.lookedAt.flatMap { items.firstIndex(of: $0) }
        let next = place.map { ($0 + step + items.count) % items.count } ?? (step > 0 ? 0 : items.count - 1)
        progress.lookedAt = items[next]
        await progress.room?.look(at: items[next])
    }

    /// What the others do, as sentences.
    private func liveLines(_ progress: Progress, _ watched: WatchedList) -> [String] {
        func name(_ account: AccountID) -> String { watched.names[account] ?? somebody }
        func text(_ item: ItemID) -> String {
            watched.rows.first { $0.item.id == item }?.item.text ?? localized("a new item", de: "etwas Neues")
        }
        var lines = progress.live.tentative.map { tentative in
            let change = tentative.change
            let who = name(tentative.member.account)
            return "~ \(change.operation.doing(change.text ?? text(change.item), by: who)) …"
        }
        if let doubleBuy = progress.doubleBuy {
            let (who, what) = (name(doubleBuy.account), text(doubleBuy.item))
            lines.append(localized("\(who) marks off \(what), too", de: "\(who) hakt auch \(what) ab"))
        }
        for focus in progress.live.typing.values {
            lines.append(localized("\(name(focus.account)) is typing", de: "\(name(focus.account)) schreibt"))
        }
        for focus in progress.live.looking.values {
            guard let item = focus.item else { continue }
            let (who, what) = (name(focus.account), text(item))
            lines.append(localized("\(who) is looking at \(what)", de: "\(who) sieht sich \(what) an"))
        }
        return lines
    }

    private func endPresence() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { do { try await device.list(list).endPresence() } catch { return } }
            group.addTask { do { try await Task.sleep(for: .seconds(1)) } catch { return } }
            await group.next()
            group.cancelAll()
        }
    }

    /// - Parameter progress: notes a read mark that this begins.
    private func draw(
        _ screen: Screen, _ progress: inout Progress, _ eventContinuation: AsyncStream<Event>.Continuation
    ) async throws {
        // Of one moment, and in one transaction: this is read whenever the screen changes.
        let watched = try await device.list(list).watched(messages: WatchView.maximumMessages)
        let own = watched.queues.lists.first { $0.list == list }
        let view = WatchView(
            state: watched.state, rows: watched.rows, upload: own?.upload ?? [],
            toApply: own?.toApply.map(\.entry) ?? [], isLocal: own?.isLocal ?? false, waiting: watched.queues.waiting,
            peoplePresent: progress.peoplePresent, live: liveLines(progress, watched),
            isInRoom: !progress.live.members.isEmpty,
            lookingAt: progress.lookedAt.flatMap { item in watched.rows.first { $0.item.id == item }?.item.text },
            notices: watched.queues.notices, refused: watched.queues.rejected.count,
            summaries: lines(progress.summaries, watched.queues.lists), messages: messageLines(watched),
            sync: progress.refusal ?? progress.step.words(watched.failure), scrolled: progress.scrolled)
        let size = Terminal.size
        screen.show(view.lines(columns: size.columns, rows: size.rows, Terminal()))
        // Also what changes nothing on the screen, such as a second mark of an item, is read. One mark at a time: the service
        // may take long to answer.
        guard progress.hasSynced, watched.showsUnread, !progress.isMarkingRead else { return }
        progress.isMarkingRead = true
        Task { eventContinuation.yield(.markedRead(isStored: await markRead())) }
    }

    /// - Returns: whether the mark is stored.
    private func markRead() async -> Bool {
        do {
            try await device.list(list).markRead()
            return true
        } catch {
            return false
        }
    }
}

extension TrolleyJournal.Operation {
    /// What somebody does to an item: 'Bob marks off milk'.
    fileprivate func doing(_ what: String, by who: String) -> String {
        switch self {
        case .add: localized("\(who) adds \(what)", de: "\(who) fügt \(what) hinzu")
        case .edit: localized("\(who) edits \(what)", de: "\(who) ändert \(what)")
        case .markOff: localized("\(who) marks off \(what)", de: "\(who) hakt \(what) ab")
        case .unmark: localized("\(who) wants again \(what)", de: "\(who) braucht \(what) wieder")
        case .delete: localized("\(who) deletes \(what)", de: "\(who) löscht \(what)")
        default: localized("\(who) changes \(what)", de: "\(who) ändert \(what)")
        }
    }
}
