import TrolleyJournal

extension Operation {
    /// The operation in a queue: '2 add'.
    var words: String { localized(rawValue, de: german) }

    private var german: String {
        switch self {
        case .add: "Hinzufügen"
        case .edit: "Ändern"
        case .markOff: "Abhaken"
        case .unmark: "Wieder brauchen"
        case .move: "Verschieben"
        case .delete: "Löschen"
        case .renameList: "Liste benennen"
        case .recolourList: "Farbe ändern"
        case .message: "Nachricht"
        case .deleteMessage: "Nachricht löschen"
        case .react: "Reagieren"
        case .unreact: "Reaktion zurücknehmen"
        case .pin: "Nachricht anheften"
        case .unpin: "Nachricht lösen"
        case .unknown: "Unbekannt"
        }
    }
}

extension Fields {
    /// A field's name with its article. A field of a later version has only its key.
    static func german(_ key: String) -> String {
        switch key {
        case text: "der Text"
        case quantity: "die Menge"
        case note: "die Notiz"
        case aisle: "das Regal"
        case shop: "der Laden"
        case every: "die Angabe, wie oft es gekauft wird,"
        default: "das Feld „\(key)“"
        }
    }
}
