extension NoticeWords {
    static let german = NoticeWords(
        language: "de",
        withoutContent: "Eine deiner Listen hat sich geändert",
        somebody: "Jemand",
        person: { name, actions in "\(name) hat \(actions)" },
        added: { "\($0) hinzugefügt" },
        edited: { "\($0) geändert" },
        markedOff: { "\($0) abgehakt" },
        unmarked: { "\($0) wieder gewünscht" },
        deleted: { "\($0) gelöscht" },
        moved: { "\($0) verschoben" },
        listChanges: { _ in "die Liste geändert" },
        messages: { $0 == 1 ? "1 Nachricht geschrieben" : "\($0) Nachrichten geschrieben" },
        something: "etwas geändert",
        others: { $0 == 1 ? "und 1 weitere Person" : "und \($0) weitere Personen" })
}
