import TrolleyClient
import TrolleyJournal
import TrolleySync

/// Shows a list on the whole terminal, and keeps it up to date until the person quits.
struct WatchSession {
    let device: Device
    let list: ListID
    let interval: Duration

    private enum Event: Sendable {
        case screen(Screen.Event)
        case trigger(Trigger)
        case progress(SyncProgress)
        case synced([String])
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
        defer { for source in sources { source.cancel() } }
        var progress = Progress()
        var shown: ListState?
        try await draw(screen, progress, &shown)
        for await event in events {
            switch event {
            case .screen(.stop), .screen(.key("q")):
                progress.running?.cancel()
                // Tries for a second only: without it, others find out within a minute.
                await endPresence()
                return
            case .screen(.key("t")): try await device.apply(in: list)
            case .screen(.key("s")): sync(.manual, &progress, eventContinuation)
            case .screen(.key("j")): progress.scrolled += 1
            case .screen(.key("k")): progress.scrolled = max(0, progress.scrolled - 1)
            case .screen: break
            case .trigger(let trigger): sync(trigger, &progress, eventContinuation)
            case .progress(let step): progress.step = step
            case .synced(let peoplePresent):
                progress.running = nil
                progress.peoplePresent = peoplePresent
                progress.hasSynced = true
                if let next = progress.next.take() { sync(next, &progress, eventContinuation) }
            case .failed(let error): throw error
            }
            try await draw(screen, progress, &shown)
        }
    }

    private struct Progress {
        var running: Task<Void, Never>?
        /// The trigger of the next sync, while one runs.
        var next: Trigger?
        var step = SyncProgress.idle
        var peoplePresent: [String] = []
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
        progress.running = Task {
            do {
                _ = try await device.sync(trigger, within: .seconds(20))
                eventContinuation.yield(.synced(await peoplePresent()))
            } catch {
                eventContinuation.yield(.failed(error))
            }
        }
    }

    /// Reports that this person has the list open. Returns the others who do; empty on failure.
    private func peoplePresent() async -> [String] {
        do { return try await device.announcePresence(on: list).map(\.displayName) } catch { return [] }
    }

    private func endPresence() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { do { try await device.endPresence(on: list) } catch { return } }
            group.addTask { do { try await Task.sleep(for: .seconds(1)) } catch { return } }
            await group.next()
            group.cancelAll()
        }
    }

    private func draw(_ screen: Screen, _ progress: Progress, _ shown: inout ListState?) async throws {
        let queues = try await device.queues()
        let own = queues.lists.first { $0.list == list }
        let view = WatchView(
            state: try await device.state(of: list), rows: try await device.shownRows(of: list),
            upload: own?.upload ?? [],
            toApply: own?.toApply.map(\.entry) ?? [], isLocal: own?.isLocal ?? false, waiting: queues.waiting,
            peoplePresent: progress.peoplePresent, notices: queues.notices, refused: queues.rejected.count,
            sync: progress.step.words(try await device.ongoingFailure()), scrolled: progress.scrolled)
        let size = Terminal.size
        screen.show(view.lines(columns: size.columns, rows: size.rows, Terminal()))
        if view.state != shown, progress.hasSynced {
            shown = view.state
            // A failure is harmless: the next change reports it again.
            Task { do { try await device.markRead(list) } catch { return } }
        }
    }
}
