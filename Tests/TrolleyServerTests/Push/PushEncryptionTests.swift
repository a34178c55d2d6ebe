import Crypto
import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Web Push encryption and identity", .timeLimit(.minutes(20)))
struct PushEncryptionTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    @Test("the example of RFC 8291 §5, byte by byte")
    func example() throws {
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let keys = PushKeys(
            publicKey: try bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        let message = try PushEncryption(sender: sender, salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
            .encrypt(Array("When I grow up, I want to be a watermelon".utf8), for: keys)
        #expect(
            Base64URL.encode(message) == """
                DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w\
                EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                """)
    }

    @Test("each message has a salt and a key of its own")
    func fresh() throws {
        let keys = PushKeys(
            publicKey: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation),
            secret: Array(repeating: 1, count: 16))
        let (one, other) = (
            try PushEncryption().encrypt([1, 2, 3], for: keys), try PushEncryption().encrypt([1, 2, 3], for: keys)
        )
        #expect(one.prefix(16) != other.prefix(16))
        #expect(one[21..<86] != other[21..<86])
    }

    @Test("a key that is no point of the curve is refused")
    func invalidKey() {
        let keys = PushKeys(
            publicKey: [4] + Array(repeating: 7, count: 64), secret: Array(repeating: 1, count: 16))
        #expect(throws: DeliveryFailure.invalidEndpoint) { try PushEncryption().encrypt([1], for: keys) }
    }

    @Test("the token says for whom it is, until when, and whom to ask, and the public key verifies it (RFC 8292)")
    func token() async throws {
        let identity = PushIdentity(key: P256.Signing.PrivateKey())
        let text = try await identity.authorization(
            for: "https://push.example.net", contact: "mailto:a@example.com", now: 1_000_000)
        let match = try #require(text.wholeMatch(of: /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+),k=([\w-]+)/))
        #expect(String(match.4) == identity.publicKey)
        #expect(String(decoding: try bytes(String(match.1)), as: UTF8.self) == #"{"alg":"ES256","typ":"JWT"}"#)
        #expect(
            String(decoding: try bytes(String(match.2)), as: UTF8.self)
                == #"{"aud":"https://push.example.net","exp":1043200,"sub":"mailto:a@example.com"}"#)
        let key = try P256.Signing.PublicKey(x963Representation: bytes(String(match.4)))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(String(match.3)))
        #expect(key.isValidSignature(signature, for: Array("\(match.1).\(match.2)".utf8)))
    }

    @Test("for the claims of the RFC's example the token is the RFC's, but for its signature and its header's order")
    func exampleOfRFC8292() async throws {
        // RFC 8292 §2.4.
        let example =
            "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1Mj"
            + "M3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDX"
            + "b1JrErtmysazNjjvW2L9OkSSHzvoD1oA,k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5"
            + "aq9ojSwk5Y2EmClBPs"
        let pattern = /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+),k=([\w-]+)/
        let expected = try #require(example.wholeMatch(of: pattern))
        let key = try P256.Signing.PublicKey(x963Representation: bytes(String(expected.4)))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes(String(expected.3)))
        #expect(key.isValidSignature(signature, for: Array("\(expected.1).\(expected.2)".utf8)))
        let text = try await PushIdentity(key: P256.Signing.PrivateKey()).authorization(
            for: "https://push.example.net", contact: "mailto:push@example.com", now: 1_453_523_768 - 12 * 3600)
        let made = try #require(text.wholeMatch(of: pattern))
        #expect(made.2 == expected.2)
        func header(_ text: Substring) throws -> [String: String] {
            try JSONDecoder().decode([String: String].self, from: Data(bytes(String(text))))
        }
        #expect(try header(made.1) == header(expected.1))
        #expect(made.3.count == expected.3.count && made.4.count == expected.4.count)
    }

    @Test("the longest notification fits one record")
    func longest() throws {
        let people = (0..<100).map { _ in
            SummarizedPerson(account: .random(), name: String(repeating: "👩‍👩‍👧‍👦", count: 200), .init())
        }
        let ends = ["en": "; and 97 more", "de": "; und 97 weitere Personen"]
        for words in NoticeWords.all {
            let text = NoticeText(words).content(people)
            #expect(text.hasSuffix(ends[words.language] ?? ""))
            #expect(text.utf8.count < PushEncryption.maximumPlaintext - 2000)
        }
    }

    @Test("each language has its words and its plural forms; an unknown language gets English")
    func languages() {
        var (one, many) = (ChangeTally(), ChangeTally())
        (one.added, one.messages) = (1, 1)
        (many.added, many.edited, many.markedOff, many.unmarked, many.deleted, many.moved) = (2, 3, 4, 5, 6, 7)
        (many.listChanges, many.messages) = (1, 2)
        let people = [
            SummarizedPerson(account: .random(), name: "Ben", one), SummarizedPerson(account: .random(), many),
        ]
        #expect(
            NoticeText(.of("en")).content(people) == """
                Ben added 1, wrote 1 message; Somebody added 2, edited 3, marked off 4, unmarked 5, deleted 6, moved 7, \
                changed the list, wrote 2 messages
                """)
        #expect(
            NoticeText(.of("de-AT")).content(people) == """
                Ben hat 1 hinzugefügt, 1 Nachricht geschrieben; Jemand hat 2 hinzugefügt, 3 geändert, 4 abgehakt, \
                5 wieder gewünscht, 6 gelöscht, 7 verschoben, die Liste geändert, 2 Nachrichten geschrieben
                """)
        for tag in [nil, "", "pt", "tlh-Latn", "d", "english"] { #expect(NoticeWords.of(tag).language == "en") }
        #expect(NoticeWords.of("DE").language == "de")
        // Those of the page.
        let page = ["de", "en", "es", "fr", "he", "it", "nl"]
        #expect(NoticeWords.all.map(\.language).sorted() == page)
        for tag in page { #expect(NoticeWords.of("\(tag)-XX").language == tag) }
        let four = (0..<4).map { _ in SummarizedPerson(account: .random(), name: "A", one) }
        #expect(NoticeText(.german).content(four).hasSuffix("; und 1 weitere Person"))
    }
}
