import TrolleyClient
import TrolleyJournal

extension ShareState {
    /// The participant or invited person with this email or name, in upper or lower case.
    func person(named name: String) throws(CommandError) -> Participant {
        let wanted = name.lowercased()
        var candidates = participants.filter { $0.email?.lowercased() == wanted }
        if candidates.isEmpty { candidates = participants.filter { $0.name?.lowercased() == wanted } }
        guard let found = candidates.first else { throw .noSuchPerson(name) }
        guard candidates.count == 1 else {
            throw .ambiguousPerson(name, candidates.map { "  \($0.email ?? "")  \($0.displayName)" })
        }
        return found
    }
}

extension Participant {
    /// The name to show for them.
    var displayName: String {
        if let name = name ?? email { return name }
        return accountDeleted == true
            ? localized("Somebody whose account is deleted", de: "Jemand mit gelöschtem Konto")
            : localized("Somebody who left", de: "Ein früheres Mitglied")
    }

    /// Their account. A person who is only invited has no known account.
    func knownAccount() throws(CommandError) -> AccountID {
        guard let account else { throw .notOnTheList(displayName) }
        return account
    }
}
