extension NoticeWords {
    static let dutch = NoticeWords(
        language: "nl",
        withoutContent: "Een van je lijsten is gewijzigd",
        somebody: "Iemand",
        person: { name, actions in "\(name) heeft \(actions)" },
        added: { "\($0) toegevoegd" },
        edited: { "\($0) gewijzigd" },
        markedOff: { "\($0) afgevinkt" },
        unmarked: { "\($0) teruggezet" },
        deleted: { "\($0) verwijderd" },
        moved: { "\($0) verplaatst" },
        listChanges: { _ in "de lijst gewijzigd" },
        messages: { $0 == 1 ? "1 bericht geschreven" : "\($0) berichten geschreven" },
        something: "iets gewijzigd",
        others: { $0 == 1 ? "en nog 1 persoon" : "en nog \($0) personen" })
}
