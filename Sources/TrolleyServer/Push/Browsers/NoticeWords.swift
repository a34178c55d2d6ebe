/// The words of notifications in one language. Each language has a file of its own.
struct NoticeWords: Sendable {
    /// With the plural form that the language has for a number, from 1.
    typealias Counted = @Sendable (Int) -> String

    /// A language tag.
    let language: String
    /// Says that something has happened, and nothing else.
    let withoutContent: String
    /// Stands for the name of a person whose account was deleted.
    let somebody: String
    /// What a person did, from the person's name and the actions.
    let person: @Sendable (String, String) -> String
    let added: Counted
    let edited: Counted
    let markedOff: Counted
    let unmarked: Counted
    let deleted: Counted
    let moved: Counted
    let listChanges: Counted
    let messages: Counted
    /// Stands for actions that this version doesn't know.
    let something: String
    /// Stands for the people beyond the first.
    let others: Counted

    static let all = [english, german, spanish, french, hebrew, italian, dutch]

    /// - Parameter tag: a language tag, such as `de-AT`; of one without words here, and of nil, the words are English.
    static func of(_ tag: String?) -> NoticeWords {
        let language = tag?.prefix { $0 != "-" }.lowercased()
        return all.first { $0.language == language } ?? english
    }
}
