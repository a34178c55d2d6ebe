import Crypto
import HTTPTypes
import Testing
import TrolleyJournal
import TrolleyStore

@testable import TrolleyServer

@Suite("Documents and headers of WebDAV-Push", .timeLimit(.minutes(20)))
struct PushRegisterTests {
    private let now = Timestamp("2023-12-20T09:03:31.250Z")
    /// The draft's example.
    private let subscription = """
        <subscription><web-push-subscription><push-resource>https://up.example.net/yohd4yai5Phiz1wi</push-resource>\
        <content-encoding>aes128gcm</content-encoding><subscription-public-key type="p256dh">\
        BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4\
        </subscription-public-key><auth-secret>BTBZMqHH6r4Tts7J_aSIgg</auth-secret></web-push-subscription></subscription>
        """

    private func register(_ content: String) throws -> PushRegister {
        let document = try XMLReader.read(Array(CalendarPushScene.document(content).utf8))
        return try PushRegister(document, PushSettings(), now: try #require(now))
    }

    private func refusal(_ content: String) -> String {
        do {
            _ = try register(content)
            return "nothing"
        } catch let error as CalendarError {
            return "\(error.status.code) \(error.condition?.local ?? "")"
        } catch { return "\(error)" }
    }

    @Test("the draft's example is read")
    func example() throws {
        let read = try register(
            subscription + CalendarPushScene.bothTriggers + "<expires>Wed, 20 Dec 2023 10:03:31 GMT</expires>")
        #expect(read.endpoint.text == "https://up.example.net/yohd4yai5Phiz1wi")
        #expect(read.keys.publicKey.count == 65 && read.keys.secret.count == 16)
        #expect(read.wantsContent && read.wantsProperties)
        #expect(read.seconds == 3599)
    }

    @Test("a program that names neither a trigger nor an encoding nor an end is told of everything, for a week")
    func sparse() throws {
        let read = try register(
            subscription.replacing("<content-encoding>aes128gcm</content-encoding>", with: ""))
        #expect(read.wantsContent && read.wantsProperties && read.seconds == 7 * 86_400)
    }

    @Test("triggers are taken at any depth, and those that a list doesn't have are left out")
    func triggers() throws {
        let content = try register(
            subscription + "<trigger><content-update><D:depth>0</D:depth></content-update><other/></trigger>")
        #expect(content.wantsContent && !content.wantsProperties)
        let properties = try register(subscription + "<trigger><property-update/></trigger>")
        #expect(!properties.wantsContent && properties.wantsProperties)
        for none in ["<trigger/>", "<trigger><other/></trigger>", "<trigger><D:content-update/></trigger>"] {
            #expect(refusal(subscription + none) == "403 no-supported-trigger")
        }
    }

    @Test(
        "the end is at most a week away, and a time that isn't in the future is no end",
        arguments: [
            ("Wed, 27 Dec 2023 09:03:30 GMT", 604_798), ("Thu, 28 Dec 2023 09:03:31 GMT", 604_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 604_800), ("Wed, 20 Dec 2023 09:03:31 GMT", 604_800),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 604_800), ("soon", 604_800), ("3600", 604_800), ("", 604_800),
        ])
    func ends(text: String, seconds: Int) throws {
        #expect(try register(subscription + "<expires>\(text)</expires>").seconds == Int64(seconds))
    }

    @Test("a subscription that isn't one of Web Push, with a public endpoint and valid keys, is refused")
    func invalid() {
        func changed(_ old: String, _ new: String) -> String { subscription.replacing(old, with: new) }
        let endpoint = "https://up.example.net/yohd4yai5Phiz1wi"
        for wrong in [
            "", "<subscription/>", subscription + subscription, "<subscription><other/></subscription>",
            changed("</subscription>", "<other/></subscription>"), changed("web-push-subscription", "other"),
            changed(endpoint, ""), changed(endpoint, "https://127.0.0.1/x"), changed(endpoint, "https://10.0.0.1/"),
            changed(endpoint, "https://169.254.169.254/latest"), changed(endpoint, "http://up.example.net/"),
            changed(endpoint, "https://user@up.example.net/"), changed(endpoint, "file:///etc/passwd"),
            changed(endpoint, "https://[::1]/"), changed("aes128gcm", "aesgcm"), changed("p256dh", "x25519"),
            changed(#" type="p256dh""#, ""), changed("BCVx", "BAVx"), changed("BCVxsr7N_", ""),
            changed("Aiw4", "Aiw4AAAA"), changed("BTBZMqHH6r4Tts7J_aSIgg", "BTBZ"),
            changed("BTBZMqHH6r4Tts7J_aSIgg", "BTBZMqHH6r4Tts7J_aSIggAA"), changed("BTBZMqHH6r4Tts7J_aSIgg", "+/+/"),
            changed("<auth-secret>BTBZMqHH6r4Tts7J_aSIgg</auth-secret>", ""),
        ] { #expect(refusal(wrong) == "403 invalid-subscription", "\(wrong)") }
    }

    @Test("a message has the topic, and says what has changed")
    func message() throws {
        for (content, properties, names) in [
            (true, false, ["topic", "content-update"]), (false, true, ["topic", "property-update"]),
            (true, true, ["topic", "content-update", "property-update"]),
        ] {
            let text = PushMessage(
                topic: "O7M1nQ7cKkKTKsoS_j6Z3w", content: content, properties: properties, syncToken: "urn:x:1"
            ).text
            let message = try XMLReader.read(Array(text.utf8))
            #expect(message.name == .push("push-message"))
            #expect(message.children.map(\.name) == names.map(XMLName.push))
            #expect(message.first(.push("topic"))?.text == "O7M1nQ7cKkKTKsoS_j6Z3w")
            let update = message.first(.push("content-update"))
            #expect(update?.first(.dav("sync-token"))?.text == (content ? "urn:x:1" : nil))
        }
    }

    @Test("Push-Dont-Notify names registrations or everybody, and what isn't valid in it is ignored")
    func dontNotify() throws {
        let (one, other) = (RegistrationID.random(), RegistrationID.random())
        func read(_ values: String...) -> PushDontNotify? {
            var headers = HTTPFields()
            for value in values { headers.append(HTTPField(name: .pushDontNotify, value: value)) }
            return PushDontNotify(headers)
        }
        func url(_ registration: RegistrationID) -> String { #""https://lists.example.com/dav/push/\#(registration)""# }
        #expect(read(url(one))?.registrations == [one])
        #expect(read("\(url(one)),  \(url(other))")?.registrations == [one, other])
        #expect(read(url(one), url(other))?.registrations == [one, other])
        #expect(read(#""https://a.example/x,y", \#(url(one)), nonsense"#)?.registrations == [one])
        #expect(read(url(one))?.isForAll == false)
        #expect(read(" * ")?.isForAll == true)
        for nobody in [
            "", "\"*\"", "https://lists.example.com/dav/push/\(one)", #""/dav/lists/\#(one)/""#, #""unfinished"#, "\"",
            #""https://lists.example.com/dav/push/1""#,
        ] { #expect(read(nobody) == nil, "\(nobody)") }
        #expect(read() == nil)
        let many = (0..<500).map { _ in url(.random()) }.joined(separator: ",")
        #expect(read(many)?.registrations.count == 100)
    }

    @Test("a list's topic is another one for each person and each list, and for each service")
    func topics() {
        func key(_ byte: UInt8) -> ChangeToken.Key {
            ChangeToken.Key(key: SymmetricKey(data: Array(repeating: byte, count: 32)))
        }
        let (list, other): (ListID, ListID) = (.random(), .random())
        let (anna, ben): (AccountID, AccountID) = (.random(), .random())
        let topics = [
            PushTopic.text(of: list, for: anna, key: key(1)), PushTopic.text(of: other, for: anna, key: key(1)),
            PushTopic.text(of: list, for: ben, key: key(1)), PushTopic.text(of: list, for: anna, key: key(2)),
        ]
        #expect(Set(topics).count == 4 && topics.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil })
        #expect(PushTopic.text(of: list, for: anna, key: key(1)) == topics[0])
    }
}
