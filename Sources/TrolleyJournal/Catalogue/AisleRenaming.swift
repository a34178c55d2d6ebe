/// An aisle that gets another name, for all items of a list.
public struct AisleRenaming: Hashable, Sendable {
    /// As it is called now.
    public var aisle: String
    /// The new name. If another aisle has it, the two become one. nil or blank: the items have no aisle then.
    public var name: String?

    public init(_ aisle: String, to name: String?) {
        self.aisle = aisle
        self.name = name
    }
}

extension ListFold {
    /// The list's aisles: those of its order, then those of its items that it lacks.
    package var knownAisles: [String] {
        let state = state
        var aisles: [String] = []
        var known: Set<ItemKey> = []
        for aisle in state.aisles where known.insert(aisle.itemKey).inserted { aisles.append(aisle) }
        for item in state.items {
            guard let aisle = item.fields[Fields.aisle]?.string, !aisle.itemKey.text.utf8.isEmpty,
                known.insert(aisle.itemKey).inserted
            else { continue }
            aisles.append(aisle)
        }
        return aisles
    }

    /// Renames and merges aisles, all at the same time, and orders them: one edit for each item that the list shows, and the list's
    /// order, which also says what the names have become, so that deleted items come back in the right aisle.
    /// - Parameters:
    ///   - renamings: those of unknown aisles do nothing.
    ///   - order: the order of the aisles by their present names; nil: as it is.
    /// - Returns: none if nothing changes. Perform them as one gesture.
    package func drafts(renaming renamings: [AisleRenaming], order: [String]? = nil) -> [EntryDraft] {
        let state = state
        let present = knownAisles
        var aisles = order ?? []
        for aisle in present where !aisles.contains(where: { $0.itemKey == aisle.itemKey }) { aisles.append(aisle) }
        let names = NewNames(renamings, among: present)

        var drafts: [EntryDraft] = []
        for item in state.items {
            guard let aisle = item.fields[Fields.aisle]?.string, let name = names[aisle], !name.hasSameBytes(as: aisle)
            else { continue }
            drafts.append(EntryDraft(.edit, item: item.id, fields: [Fields.aisle: name.map { .string($0) } ?? .null]))
        }
        let text = ListState.text(of: names.renamed(aisles))
        let isOrdered = order != nil && !text.hasSameBytes(as: ListState.text(of: state.aisles))
        guard isOrdered || !names.isEmpty else { return [] }
        var fields: Fields = [Fields.aisles: text.map { .string($0) } ?? .null]
        var past = renamedAisles
        past.append(names.all)
        if !past.text.utf8.isEmpty { fields[Fields.renamedAisles] = .string(past.text) }
        drafts.append(EntryDraft(.recolourList, fields: fields))
        // One entry for each shop: an entry has no room for all.
        for shop in state.shops where shop.aisles.contains(where: { names[$0] != nil }) {
            drafts.append(Shop(name: shop.name, aisles: names.renamed(shop.aisles)).draft)
        }
        return drafts
    }

    /// What aisles of this list were called before.
    var renamedAisles: RenamedAisles { RenamedAisles(list.text(Fields.renamedAisles) ?? "") }
}

/// The new names of some aisles.
private struct NewNames {
    private(set) var all: [(aisle: String, name: String?)] = []

    /// - Parameter present: the list's aisles. A name that one of the others has is spelled as there.
    init(_ renamings: [AisleRenaming], among present: [String]) {
        for renaming in renamings {
            guard let aisle = present.first(where: { $0.itemKey == renaming.aisle.itemKey }), self[aisle] == nil
            else { continue }
            let name = renaming.name.flatMap { $0.itemKey.text.utf8.isEmpty ? nil : $0 }
            all.append((aisle, name))
        }
        for index in all.indices {
            guard let name = all[index].name else { continue }
            let others = present.filter { self[$0] == nil } + all[..<index].compactMap { $0.name }
            if let other = others.first(where: { $0.itemKey == name.itemKey }) { all[index].name = other }
        }
        all.removeAll { $0.name.hasSameBytes(as: $0.aisle) }
    }

    var isEmpty: Bool { all.isEmpty }

    /// The aisles by their new names, each once, without those that go.
    func renamed(_ aisles: [String]) -> [String] {
        var known: Set<ItemKey> = []
        return aisles.compactMap { self[$0] ?? $0 }.filter { known.insert($0.itemKey).inserted }
    }

    /// The new name of an aisle; nil: it keeps its name. The inner value is nil if the aisle goes.
    subscript(aisle: String) -> String?? {
        all.first { $0.aisle.itemKey == aisle.itemKey }.map { $0.name }
    }
}

/// What a list's aisles were called before: a line for each former name, with a tab and the present one, which is empty if the
/// aisle went.
struct RenamedAisles: Sendable {
    private var names: [(aisle: String, name: String)] = []
    /// The entry has other fields, and all of them have room for 4 KiB.
    private static let mostBytes = 1500

    init(_ text: String) {
        for line in Array(text.utf8).lines {
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { continue }
            let aisle = String(decoding: line[..<tab], as: UTF8.self)
            names.append((aisle, String(decoding: line[(tab + 1)...], as: UTF8.self)))
        }
    }

    var isEmpty: Bool { names.isEmpty }

    var text: String {
        var bytes: [UInt8] = []
        for (index, (aisle, name)) in names.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            bytes += aisle.utf8
            bytes.append(UInt8(ascii: "\t"))
            bytes += name.utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds names that were changed at the same time. The oldest make room.
    mutating func append(_ renamings: [(aisle: String, name: String?)]) {
        for index in names.indices {
            guard let next = renamings.first(where: { $0.aisle.itemKey == names[index].name.itemKey }) else { continue }
            names[index].name = next.name ?? ""
        }
        for (aisle, name) in renamings {
            names.removeAll { $0.aisle.itemKey == aisle.itemKey }
            // It has only another spelling.
            if let name, name.itemKey == aisle.itemKey { continue }
            names.append((aisle.asOneLine, (name ?? "").asOneLine))
        }
        names.removeAll { $0.aisle.itemKey == $0.name.itemKey }
        while text.utf8.count > Self.mostBytes { names.removeFirst() }
    }

    /// What an aisle is called now; nil: it went, or has its name still. The inner value is nil if it went.
    subscript(aisle: String) -> String?? {
        guard let name = names.last(where: { $0.aisle.itemKey == aisle.itemKey })?.name else { return nil }
        return .some(name.utf8.isEmpty ? nil : name)
    }
}

extension String {
    /// Without tabs and line ends.
    fileprivate var asOneLine: String {
        String(decoding: utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
