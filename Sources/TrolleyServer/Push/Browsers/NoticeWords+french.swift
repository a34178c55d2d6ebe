extension NoticeWords {
    static let french = NoticeWords(
        language: "fr",
        withoutContent: "Une de tes listes a changé",
        somebody: "Quelqu’un",
        person: { name, actions in "\(name) a \(actions)" },
        added: { $0 == 1 ? "ajouté 1 article" : "ajouté \($0) articles" },
        edited: { $0 == 1 ? "modifié 1 article" : "modifié \($0) articles" },
        markedOff: { $0 == 1 ? "coché 1 article" : "coché \($0) articles" },
        unmarked: { $0 == 1 ? "remis 1 article" : "remis \($0) articles" },
        deleted: { $0 == 1 ? "supprimé 1 article" : "supprimé \($0) articles" },
        moved: { $0 == 1 ? "déplacé 1 article" : "déplacé \($0) articles" },
        listChanges: { _ in "modifié la liste" },
        messages: { $0 == 1 ? "écrit 1 message" : "écrit \($0) messages" },
        something: "modifié quelque chose",
        others: { $0 == 1 ? "et 1 autre personne" : "et \($0) autres personnes" })
}
