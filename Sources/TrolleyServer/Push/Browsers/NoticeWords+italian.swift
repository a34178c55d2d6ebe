extension NoticeWords {
    static let italian = NoticeWords(
        language: "it",
        withoutContent: "Una delle tue liste è cambiata",
        somebody: "Qualcuno",
        person: { name, actions in "\(name) ha \(actions)" },
        added: { "aggiunto \($0)" },
        edited: { "modificato \($0)" },
        markedOff: { "spuntato \($0)" },
        unmarked: { "rimesso in lista \($0)" },
        deleted: { "eliminato \($0)" },
        moved: { "spostato \($0)" },
        listChanges: { _ in "modificato la lista" },
        messages: { $0 == 1 ? "scritto 1 messaggio" : "scritto \($0) messaggi" },
        something: "modificato qualcosa",
        others: { $0 == 1 ? "e 1 altra persona" : "e altre \($0) persone" })
}
