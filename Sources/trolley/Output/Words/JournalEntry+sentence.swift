import TrolleyJournal

extension JournalEntry {
    /// The change as a sentence: "Bob added 'milk'".
    /// - Parameters:
    ///   - person: the name of the person who made it; nil: the reader.
    ///   - former: the texts before, by the entries that changed them.
    func sentence(by person: String?, itemText: String?, _ former: [EntryID: String]) -> String {
        let did = predicate(itemText: itemText, former)
        return localized(
            "\(person ?? "You") \(did.english)", de: "\(person.map { "\($0) hat" } ?? "Du hast") \(did.german)")
    }

    /// In English without the subject, in German also without the auxiliary verb: a participle at the end.
    private typealias Predicate = (english: String, german: String)

    private func predicate(itemText: String?, _ former: [EntryID: String]) -> Predicate {
        if let shop = changedShop {
            return shop.isRemoved
                ? ("removed the shop '\(shop.name)'", "den Laden „\(shop.name)“ entfernt")
                : ("changed the shop '\(shop.name)'", "den Laden „\(shop.name)“ geändert")
        }
        if isOrderOfAisles { return ("changed the order of the aisles", "die Regale geordnet") }
        if operation.concernsMessages { return messagePredicate(itemText: itemText) }
        if operation == .unknown {
            return (
                "made a change that this version doesn't know (\(operationName))",
                "etwas geändert, was diese Version nicht kennt (\(operationName))"
            )
        }
        if operation == .edit, item != nil, let text = fields[Fields.text]?.string, former[id] != text {
            let before: Predicate = former[id].map { ("'\($0)'", "„\($0)“") } ?? ("an item", "etwas")
            return (
                "renamed \(before.english) to '\(text)'\(note.english)",
                "\(before.german) in „\(text)“ umbenannt\(note.german)"
            )
        }
        let text = item == nil ? fields[Fields.text]?.string : itemText
        let what: Predicate = text.map { ("'\($0)'", "„\($0)“") } ?? ("an item", "etwas")
        let did = operation.predicate(what)
        return (did.english + note.english, did.german + note.german)
    }

    /// ' (undo)', if it took a change back or made it again.
    private var note: Predicate {
        switch cause {
        case .edit: ("", "")
        case .undo: (" (undo)", " (rückgängig)")
        case .redo: (" (redo)", " (wiederholt)")
        }
    }

    private func messagePredicate(itemText: String?) -> Predicate {
        let text = fields[Fields.text]?.string ?? ""
        return switch operation {
        case .message:
            (
                "wrote '\(text)'" + (itemText.map { " about '\($0)'" } ?? ""),
                (itemText.map { "zu „\($0)“ " } ?? "") + "geschrieben: „\(text)“"
            )
        case .deleteMessage: ("deleted a message", "eine Nachricht gelöscht")
        case .react: ("reacted to a message with \(text)", "auf eine Nachricht mit \(text) reagiert")
        case .unreact: ("took back the reaction \(text)", "die Reaktion \(text) zurückgenommen")
        case .pin: ("pinned a message", "eine Nachricht angeheftet")
        default: ("unpinned a message", "eine Nachricht gelöst")
        }
    }

    /// Whether it only sets the order of the aisles.
    private var isOrderOfAisles: Bool { item == nil && fields[Fields.aisles] != nil && fields[Fields.text] == nil }
}

extension Operation {
    fileprivate func predicate(
        _ what: (english: String, german: String)
    ) -> (english: String, german: String) {
        let (text, german) = what
        return switch self {
        case .add: ("added \(text)", "\(german) hinzugefügt")
        case .edit: ("changed \(text)", "\(german) geändert")
        case .markOff: ("marked off \(text)", "\(german) abgehakt")
        case .unmark: ("unmarked \(text)", "\(german) wieder gewünscht")
        case .move: ("moved \(text)", "\(german) verschoben")
        case .delete: ("deleted \(text)", "\(german) gelöscht")
        case .renameList: ("called the list \(text)", "die Liste \(german) genannt")
        case .recolourList: ("coloured the list \(text)", "der Liste die Farbe \(german) gegeben")
        case .message, .deleteMessage, .react, .unreact, .pin, .unpin, .unknown:
            ("changed \(text)", "\(german) geändert")
        }
    }
}
