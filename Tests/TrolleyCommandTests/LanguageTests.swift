import Testing

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct LanguageTests {
    @Test(
        "a locale names the catalogue's language",
        arguments: [
            ("de_CH.UTF-8", "de"), ("en_GB", "en"), ("fr", "fr"), ("nl_BE@euro", "nl"), ("C", "en"), ("C.UTF-8", "en"),
            ("POSIX", "en"), ("pt_BR.UTF-8", nil), ("", nil), ("deutsch", nil),
        ])
    func locale(name: String, code: String?) { #expect(Language(locale: name).code == code) }

    @Test("'none' is no language, and an unknown one an error")
    func code() throws {
        #expect(try #require(Language(code: "none")).code == nil)
        #expect(try #require(Language(code: "it")).code == "it")
        #expect(Language(code: "EN") == nil && Language(code: "") == nil)
    }
}
