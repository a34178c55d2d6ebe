import FoundationEssentials
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

@testable import TrolleyClient

// How the invariants (docs/architecture.md) are checked here. `FleetNetwork` also checks I2, I3, I6 and I7 with every
// answer.
//
// - I1: every entry that the service accepted is in the list's Activity.
// - I2: no id is there twice; an entry that is sent again gets the first answer.
// - I3: sequences in pages rise; a list that was never compressed has the sequences 1, 2, 3 … without a gap.
// - I4: a device that has fetched page by page has the same entries as a device without a token.
// - I5: queues are empty, all devices on a list show the same, with the service's digest; no run fails any more.
// - I6: a token of an epoch that has ended is always refused.
// - I7: no answer contains a byte of a list for a person who isn't on it.
// - I8: each entry that was ever made is in the Activity, or visible on its device: among the rejected entries, or on a
//   list that is kept there.

extension FleetRun {
    /// - Returns: the violated rules; empty if all hold.
    func violations() async throws -> [String] {
        var found = network.state.withLock { $0.violations }
        var activities: [Set<EntryID>] = []
        for (number, list) in lists.enumerated() {
            let ids = try await activity(of: number).map(\.entry.id)
            activities.append(Set(ids))
            if Set(ids).count != ids.count { found.append("I2: an id is twice in the Activity of list \(number)") }
            found += try await violations(of: list, number)
        }
        let all = activities.reduce(into: Set()) { $0.formUnion($1) }
        if all.count != activities.reduce(0, { $0 + $1.count }) { found.append("I2: an id is on two lists") }
        let accepted = Set(network.state.withLock { $0.accepted.keys })
        if !accepted.isSubset(of: all) {
            found.append("I1: \(accepted.subtracting(all).count) accepted entries are gone")
        }
        for device in devices { found += try await lostEntries(of: device, activities) }
        return found
    }

    /// I8.
    private func lostEntries(of device: FleetDevice, _ activities: [Set<EntryID>]) async throws -> [String] {
        let rejected = Set(try await device.store.rejected().map(\.entry.id)).union(try await device.kept())
        let left = Set(try await device.store.queues().notices.map(\.list))
        var found: [String] = []
        for (id, list) in device.made where !activities[list].contains(id) && !rejected.contains(id) {
            // Restoring a copy loses the entries that were confirmed since. Devices offer them again, unless they were
            // told to drop them: by signing out, or because the person is no longer on the list.
            if lost.contains(id) {
                if device.hasForgotten || left.contains(lists[list].id) { continue }
                if try await !device.has(lists[list].id) { continue }
            }
            found.append("I8: device \(device.number) made \(id) on list \(list), and it is nowhere")
        }
        return found
    }

    private func violations(of list: FleetList, _ number: Int) async throws -> [String] {
        var found: [String] = []
        var shown: [Int: ListState] = [:]
        var said: [Int: [Message]] = [:]
        for device in devices {
            guard let token = device.session?.token else { continue }
            let isMember = list.members.contains(device.person)
            guard try await device.has(list.id) == isMember else {
                found.append("I5: list \(number) is \(isMember ? "missing" : "left") on device \(device.number)")
                continue
            }
            guard isMember else { continue }
            let changes = try await snapshot(of: list.id, token: token)
            let sequences = changes.map(\.sequence.rawValue)
            if !list.wasCompressed, sequences != Array(1..<Int64(sequences.count + 1)) {
                found.append("I3: list \(number) has gaps: \(sequences)")
            }
            let entries = changes.compactMap { if case .entry(let entry) = $0.body { entry } else { nil } }
            let journal = try await device.store.journal(of: list.id)
            if journal.confirmed != entries {
                let differing = zip(journal.confirmed, entries).first { $0 != $1 }
                found.append(
                    "I4: device \(device.number) has \(journal.confirmed.count) entries of list \(number), the service \(entries.count); \(String(describing: differing))"
                )
            }
            if !journal.pending.isEmpty {
                found.append(
                    "I5: device \(device.number) holds back \(journal.pending.count) entries of list \(number)")
            }
            let state = try await device.state(of: list.id)
            shown[device.number] = state
            said[device.number] = try await device.messages(on: list.id)
            let answer = try await calm(.get, Path.state(list.id), token: token)
            let text = String(decoding: answer.body, as: UTF8.self)
            if !text.contains(state.digest.description) {
                found.append("I5: device \(device.number) and the service have different digests of list \(number)")
            }
            let differed = try await device.store.read { try $0.list(list.id).differed }
            if differed > 0 { found.append("I4: device \(device.number) found another digest \(differed) times") }
        }
        if Set(shown.values).count > 1 { found.append("I5: devices show list \(number) differently") }
        if Set(said.values).count > 1 { found.append("I5: devices show the messages of list \(number) differently") }
        return found
    }

    /// A list's whole stream, as a device without a token gets it.
    private func snapshot(of list: ListID, token: String) async throws -> [Change] {
        var changes: [Change] = []
        var since: String?
        while true {
            let query = since.map { "?since=\($0)" } ?? ""
            let answer = try await calm(.get, Path.changes(list) + query, token: token)
            guard answer.status == 200 else { throw try JSONDecoder().decode(Problem.self, from: Data(answer.body)) }
            let page = try ChangesPage(json: answer.body)
            changes += page.changes
            since = page.token
            if !page.moreComing { return changes }
        }
    }
}
