import TrolleyClient
import TrolleyJournal
import TrolleyWire

extension ListGoneReason {
    /// The reason as a sentence for a person.
    var words: String { localized(sentence, de: german) }

    private var german: String {
        switch self {
        case .deleted: "Die Person, der sie gehört, hat sie gelöscht."
        case .stoppedSharing: "Die Person, der sie gehört, teilt sie nicht mehr."
        case .removed: "Du bist nicht mehr auf der Liste."
        case .accountDeleted: "Das Konto, dem sie gehörte, ist gelöscht."
        }
    }
}

extension Notice {
    var sentence: String {
        let name = listName ?? list.description
        return localized(
            "'\(name)' left this device. \(reason.words)",
            de: "„\(name)“ ist nicht mehr auf diesem Gerät. \(reason.words)")
    }
}
