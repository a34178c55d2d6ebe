import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// How far this person's changes have come to the others on a list.
struct Ticks {
    let delivery: Delivery
    private let account: AccountID

    /// nil if no change in the page is this person's, nobody else is on the list, or the service doesn't say.
    init?(for page: ActivityPage, of list: ListSummary, on device: Device) async {
        guard list.others > 0 else { return nil }
        do {
            guard let account = try await device.session()?.account,
                page.activity.contains(where: { $0.sequence(by: account) != nil })
            else { return nil }
            self.account = account
            delivery = try await device.list(list.id).delivery()
        } catch {
            return nil
        }
    }

    init(delivery: Delivery, account: AccountID) {
        self.delivery = delivery
        self.account = account
    }

    /// How far a change has come, to follow its line: `  · seen by Bob · on Carol's device`. Empty for others' changes.
    func words(for item: ActivityItem) -> String {
        guard let sequence = item.sequence(by: account), !delivery.people.isEmpty else { return "" }
        func names(_ step: DeliveryStep) -> [String] {
            delivery.people.filter { delivery.step(of: sequence, to: $0) == step }.map(\.participant.displayName)
        }
        let (seen, onDevice) = (names(.seen), names(.onDevice))
        var words: [String] = []
        if !seen.isEmpty {
            words.append(
                localized("seen by \(seen.joined(separator: ", "))", de: "gesehen von \(seen.joined(separator: ", "))"))
        }
        words += onDevice.map { localized("on \($0)'s device", de: "auf einem Gerät von \($0)") }
        if words.isEmpty { words = [localized("on the service", de: "beim Dienst")] }
        return words.map { "  · \($0)" }.joined()
    }
}

extension ActivityItem {
    /// The place of an entry that the account made; nil for anything else.
    fileprivate func sequence(by account: AccountID) -> SequenceNumber? {
        guard case .entry(let entry) = event, entry.author == account else { return nil }
        return sequence
    }
}
