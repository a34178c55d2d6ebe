extension NoticeWords {
    static let spanish = NoticeWords(
        language: "es",
        withoutContent: "Una de tus listas ha cambiado",
        somebody: "Alguien",
        person: { name, actions in "\(name) \(actions)" },
        added: { "añadió \($0)" },
        edited: { "cambió \($0)" },
        markedOff: { "tachó \($0)" },
        unmarked: { "volvió a poner \($0)" },
        deleted: { "eliminó \($0)" },
        moved: { "movió \($0)" },
        listChanges: { _ in "hizo cambios en la lista" },
        messages: { $0 == 1 ? "escribió 1 mensaje" : "escribió \($0) mensajes" },
        something: "cambió algo",
        others: { $0 == 1 ? "y 1 persona más" : "y \($0) personas más" })
}
