extension NoticeWords {
    static let english = NoticeWords(
        language: "en",
        withoutContent: "One of your lists has changed",
        somebody: "Somebody",
        person: { name, actions in "\(name) \(actions)" },
        added: { "added \($0)" },
        edited: { "edited \($0)" },
        markedOff: { "marked off \($0)" },
        unmarked: { "unmarked \($0)" },
        deleted: { "deleted \($0)" },
        moved: { "moved \($0)" },
        listChanges: { _ in "changed the list" },
        messages: { $0 == 1 ? "wrote 1 message" : "wrote \($0) messages" },
        something: "changed something",
        others: { "and \($0) more" })
}
