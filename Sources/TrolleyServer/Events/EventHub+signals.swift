import Logging
import Synchronization
import TrolleyStore

// Signals between processes.

extension EventHub {
    /// Has a signal of this process sent to the others.
    func tellOthers(_ signal: ChangeSignal) {
        if store.signals == nil { return }
        outgoing.withLock { _ = $0.insert(signal) }
        notification.request()
    }

    /// Does what a signal asks for: one of another process, or of this one.
    func apply(_ signal: ChangeSignal) {
        switch signal {
        case .appended(let list, _, _, _), .list(let list):
            background.hosted.note(list)
            background.calendars.note(list)
            background.summaries.request()
        case .people(let list):
            background.hosted.note(list)
            background.calendars.note(list)
            requestAccessCheck()
        case .account(let account):
            background.hosted.note([account])
            requestAccessCheck()
        case .signedOut(let device):
            for subscription in current where subscription.device == device { subscription.end() }
            requestAccessCheck()
        case .hosted(let account): background.hosted.note(host: account)
        case .work:
            background.summaries.request()
            background.deliveries.request()
        case .everything:
            background.requestAll()
            requestAccessCheck()
        }
        requestComparison { $0.note(signal) }
    }

    /// Receives the signals of the other processes.
    func listen() async {
        guard let signals = store.signals else { return }
        var wasInterrupted = false
        for await event in signals.events(except: name) {
            switch event {
            case .interrupted(let reason):
                // Log once for each interruption.
                if !wasInterrupted {
                    logger.warning(
                        "LISTEN doesn't work: other processes' changes arrive late",
                        metadata: ["error": "\(reason)"])
                }
                wasInterrupted = true
                isListening.withLock { $0 = false }
                poll.request()
            case .connected:
                if wasInterrupted { logger.notice("LISTEN works again: other processes' changes arrive at once") }
                wasInterrupted = false
                isListening.withLock { $0 = true }
                apply(.everything)
            case .changed(let signals): for signal in signals { apply(signal) }
            }
        }
    }

    /// NOTIFY takes a database-wide lock at commit, so signals are batched.
    func sendSignals() async {
        guard store.signals != nil else { return }
        var isTelling = true
        while !Task.isCancelled {
            await notification.wait(atMost: BackgroundWork.backstop)
            let signals = outgoing.withLock { outgoing in
                defer { outgoing = [] }
                return outgoing
            }
            if signals.isEmpty { continue }
            do throws(StoreError) {
                try await store.notifyOthers(of: signals, as: name)
                isTelling = true
            } catch {
                // Log once for each series of failures.
                logger.log(
                    level: isTelling ? .warning : .debug,
                    "other processes could not be notified of changes; they are as soon as that works",
                    metadata: ["error": "\(error)"])
                isTelling = false
                outgoing.withLock { $0 = [.everything] }
                notification.request()
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
        }
    }
}
