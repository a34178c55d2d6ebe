import TrolleyJournal

/// The fold exactly as docs/journal.md ('Fold') describes it, without any optimisation. Tests compare the real fold
/// with it.
struct PlainFold {
    private let entries: [ConfirmedEntry]
    private(set) var order: [ItemID] = []

    init(_ confirmed: [ConfirmedEntry]) {
        var seen: Set<EntryID> = []
        entries = confirmed.sorted { $0.sequence < $1.sequence }.filter { seen.insert($0.entry.id).inserted }
        var placedBy: [ItemID: ConfirmedEntry] = [:]
        for confirmed in entries where confirmed.entry.operation.places {
            let entry = confirmed.entry
            guard let item = entry.item, entry.operation == .add || order.contains(item) else { continue }
            if entry.after == item && order.contains(item) { continue }
            if let earlier = placedBy[item], PlainFold.loses(confirmed, earlier) { continue }
            placedBy[item] = confirmed
            order.removeAll { $0 == item }
            if let after = entry.after {
                order.insert(item, at: (order.firstIndex(of: after) ?? order.count - 1) + 1)
            } else {
                order.insert(item, at: 0)
            }
        }
    }

    var state: ListState {
        ListState(
            name: register(.renameList, alias: "name")?.string,
            colour: register(.recolourList, alias: "colour")?.string,
            aisles: aisles,
            shops: shops,
            items: order.filter { !isDeleted($0) }.map {
                Item(id: $0, markedOff: isMarkedOff($0), fields: fields(of: $0))
            })
    }

    func entries(of item: ItemID) -> [ConfirmedEntry] {
        entries.filter { $0.entry.operation.concernsItem && $0.entry.item == item }
    }

    func isDeleted(_ item: ItemID) -> Bool {
        latest(item, of: [.delete, .add, .edit, .unmark])?.entry.operation == .delete
    }

    func isMarkedOff(_ item: ItemID) -> Bool {
        latest(item, of: [.markOff, .add, .unmark])?.entry.operation == .markOff
    }

    func isFinished(_ item: ItemID) -> Bool { isDeleted(item) || isMarkedOff(item) }

    private func latest(_ item: ItemID, of operations: [Operation]) -> ConfirmedEntry? {
        entries(of: item).filter { operations.contains($0.entry.operation) }.max(by: PlainFold.loses)
    }

    private func fields(of item: ItemID) -> Fields {
        var fields = Fields()
        let writes = entries(of: item).filter { $0.entry.operation == .add || $0.entry.operation == .edit }
        for entry in writes.sorted(by: PlainFold.loses) {
            for (key, value) in entry.entry.fields { fields[key] = value == .null ? nil : value }
        }
        return fields
    }

    private func register(_ operation: Operation, alias: String) -> FieldValue? {
        entries.filter { $0.entry.operation == operation }.sorted(by: PlainFold.loses)
            .compactMap { entry -> FieldValue? in
                switch entry.entry.fields[Fields.text] ?? entry.entry.fields[alias] {
                case .json?, nil: nil
                case let value?: value
                }
            }.last
    }

    private var aisles: [String] { lines(listField(Fields.aisles)) }

    private var shops: [Shop] {
        Set(entries.flatMap { $0.entry.fields.map(\.key) }).filter(PlainFold.isShop).sorted()
            .compactMap { key in
                listField(key)?.string.map { Shop(name: String(key.dropFirst("aisles:".count)), aisles: lines($0)) }
            }
    }

    static func isShop(_ key: String) -> Bool { key.hasPrefix("aisles:") && key != "aisles:" }

    /// The entries that set a field of the list other than its name and colour.
    func entries(setting key: String) -> [ConfirmedEntry] {
        entries.filter { confirmed in
            guard confirmed.entry.operation.concernsList, let value = confirmed.entry.fields[key] else { return false }
            if case .json = value { return false }
            return true
        }
    }

    private func listField(_ key: String) -> FieldValue? {
        entries(setting: key).max(by: PlainFold.loses)?.entry.fields[key]
    }

    private func lines(_ value: FieldValue?) -> [String] { value?.string.map(lines) ?? [] }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    static func loses(_ left: ConfirmedEntry, _ right: ConfirmedEntry) -> Bool {
        (left.madeAt, left.sequence) < (right.madeAt, right.sequence)
    }
}
