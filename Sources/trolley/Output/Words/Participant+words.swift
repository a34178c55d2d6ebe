import TrolleyClient
import TrolleyJournal
import TrolleyWire

extension ParticipantChange {
    var sentence: String {
        let who = participant.displayName
        return switch kind {
        case .invited: localized("\(who) was invited", de: "\(who) wurde eingeladen")
        case .joined: localized("\(who) joined", de: "\(who) macht mit")
        case .declined: localized("\(who) declined", de: "\(who) hat abgelehnt")
        case .left: localized("\(who) left", de: "\(who) hat die Liste verlassen")
        case .removed: localized("\(who) was removed", de: "\(who) wurde von der Liste entfernt")
        case .permissionChanged where participant.permission == .readOnly:
            localized("\(who) may only look from now on", de: "\(who) darf ab jetzt nur noch ansehen")
        case .permissionChanged:
            localized("\(who) may change the list from now on", de: "\(who) darf die Liste ab jetzt ändern")
        case .becameOwner: localized("\(who) owns the list from now on", de: "Die Liste gehört ab jetzt \(who)")
        case .invitationEnded: localized("the invitation of \(who) ended", de: "Die Einladung von \(who) ist zu Ende")
        case .accountDeleted: localized("Somebody deleted their account", de: "Jemand hat das eigene Konto gelöscht")
        }
    }
}

extension Participant.Role {
    var words: String { localized(rawValue, de: german) }

    private var german: String {
        switch self {
        case .owner: "besitzt die Liste"
        case .participant: "Mitglied"
        }
    }
}

extension Participant.Status {
    var words: String { localized(rawValue, de: german) }

    private var german: String {
        switch self {
        case .invited: "eingeladen"
        case .accepted: "macht mit"
        case .left: "hat die Liste verlassen"
        case .declined: "hat abgelehnt"
        }
    }
}
