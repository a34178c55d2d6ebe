import Synchronization
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("What an assistant must not be able to do", .timeLimit(.minutes(20)))
struct AssistantAccessTests {
    private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#

    @Test("only a personal token opens the tools, and a revoked one is refused at once")
    func authentication() async throws {
        try await AssistantScene.with { scene in
            let service = scene.service
            let cookie = try await service.signInInBrowser().cookie
            let token = try #require(scene.token.token)
            let sessionToken = scene.anna.token
            for (headers, status) in [
                (["authorization": "Bearer \(token)"], 200), (["authorization": "bearer \(token)"], 200),
                (["authorization": "Bearer \(sessionToken)"], 401), (["authorization": "Bearer x"], 401),
                (["authorization": token], 401), ([:], 401),
                (["cookie": cookie, "sec-fetch-site": "same-origin"], 401),
            ] {
                let answer = try await service.call(
                    "POST", Path.assistant, body: Array(Self.ping.utf8), headers: headers)
                #expect(answer.status == status, "\(headers.keys.sorted())")
                guard status == 401 else { continue }
                #expect(try answer.problem.code == .notAuthenticated)
                // RFC 6750 §3.1. There is no authorization server, so nothing names one.
                let sendsToken = headers["authorization"]?.hasPrefix("Bearer ") == true
                let challenge = sendsToken ? #"Bearer error="invalid_token""# : "Bearer"
                #expect(answer.headers["www-authenticate"] == challenge, "\(headers.keys.sorted())")
            }
            let revoked = try await service.call("DELETE", Path.token(scene.token.id), token: scene.anna.token)
            #expect(revoked.status == 204)
            #expect(try await scene.post(Self.ping).outcome == "401 notAuthenticated")
            // A program that looks for OAuth finds none, and says so to its person.
            for path in ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"] {
                #expect(try await service.outcome("GET", "/.well-known/\(path)") == "404 unknownRoute", "\(path)")
            }
        }
    }

    @Test("a member who may only read gets the list and changes nothing; somebody who isn't on it gets no byte of it")
    func roles() async throws {
        try await AssistantScene.with { scene in
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            let (ben, eve) = (try await scene.service.person("ben"), try await scene.service.person("eve"))
            try await scene.service.add(ben, to: scene.list, of: scene.anna, .readOnly)
            let bens = try await scene.service.personalToken(of: ben).person(like: ben)
            let eves = try await scene.service.personalToken(of: eve).person(like: eve)
            let head = try await scene.entries().count
            #expect(try await scene.use("show", as: bens).answer?.items?.map(\.text) == ["milk"])
            for (tool, arguments) in [
                ("add", #""items":["caviar"],"#), ("mark_off", #""items":["milk"],"#),
                ("edit", #""item":"milk","note":"x","#), ("undo", ""),
            ] {
                let call = #"{\#(arguments)"list":"\#(scene.list)"}"#
                let answer = try await scene.use(tool, call, as: bens)
                #expect(answer.isError && answer.text.contains("you may read this list, not change it"), "\(tool)")
                let foreign = try await scene.use(tool, call, as: eves)
                #expect(foreign.isError && foreign.text.contains("There is no list"), "\(tool)")
            }
            #expect(try await scene.entries().count == head)
            let uri = "trolley://lists/\(scene.list)"
            let read = #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\#(uri)"}}"#
            #expect(try await scene.post(read, as: bens).decode(RPCAnswer.self).result?.contents?.count == 1)
            let missing = read.replacing("\(scene.list)", with: "\(ListID.random())")
            // A list that isn't theirs and one that doesn't exist are the same.
            for message in [read, missing] {
                let answer = try await scene.post(message, as: eves).decode(RPCAnswer.self)
                #expect(answer.error?.code == -32602 && answer.result == nil)
            }
            #expect(try await scene.use("lists", as: eves).answer?.lists?.isEmpty == true)
            #expect(try await scene.use("where", #"{"item":"milk"}"#, as: eves).text.contains(#""total":0"#))

            // A removed person's assistant loses the list at once.
            let path = Path.participant(ben.account, of: scene.list)
            #expect(try await scene.service.call("DELETE", path, token: scene.anna.token).status == 204)
            #expect(try await scene.use("lists", as: bens).answer?.lists?.isEmpty == true)
            let gone = try await scene.use("show", #"{"list":"\#(scene.list)"}"#, as: bens)
            #expect(gone.isError && gone.text.contains("There is no list"))
        }
    }

    @Test("a read-only token is offered the tools that read, and the others say why they do nothing")
    func readOnly() async throws {
        try await AssistantScene.with(token: #"{"name":"wall","readOnly":true}"#) { scene in
            _ = try await scene.service.upload([.add("milk", 2)], to: scene.list, by: scene.anna)
            let list = try await scene.post(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            let tools = try #require(try list.decode(RPCAnswer.self).result?.tools)
            #expect(tools.map(\.name) == ["lists", "show", "where", "suggest"])
            #expect(try await scene.use("show").answer?.items?.map(\.text) == ["milk"])
            for (tool, arguments) in [
                ("add", #"{"items":["caviar"]}"#), ("mark_off", #"{"items":["milk"]}"#),
                ("edit", #"{"item":"milk","note":"x"}"#), ("undo", "{}"),
            ] {
                let answer = try await scene.use(tool, arguments)
                #expect(answer.isError && answer.text.contains("may only read"), "\(tool)")
            }
            #expect(try await scene.items() == ["milk"])
        }
    }

    @Test("a token for one list never learns of the others")
    func someLists() async throws {
        try await AssistantScene.with(token: #"{"name":"shop","lists":["LIST"]}"#) { scene in
            let other = try await scene.service.list(of: scene.anna)
            try await scene.service.rename(other, to: "Secret", by: scene.anna)
            let gift = JournalEntry.add("gift", 2)
            let bought = JournalEntry(id: .random(), operation: .markOff, item: gift.item, deviceSequence: 3)
            _ = try await scene.service.upload([gift, bought], to: other, by: scene.anna)
            // Its only list needs no name.
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            let resources = try await scene.post(#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#)
            #expect(try resources.decode(RPCAnswer.self).result?.resources?.map(\.name) == ["Kitchen"])
            for (tool, arguments) in [
                ("lists", "{}"), ("show", "{}"), ("suggest", "{}"), ("where", #"{"item":"gift"}"#),
                ("where", #"{"item":"gift","list":"Secret"}"#), ("show", #"{"list":"\#(other)"}"#),
                ("add", #"{"items":["x"],"list":"Secret"}"#), ("undo", #"{"list":"\#(other)"}"#),
            ] {
                let answer = try await scene.use(tool, arguments)
                for secret in ["\"gift\"", "\"Secret\"", "\"\(other)\""] where !arguments.contains(secret) {
                    #expect(!answer.text.contains(secret), "\(tool) \(arguments)")
                }
                #expect(answer.isError == arguments.contains("list"), "\(tool) \(arguments)")
            }
            #expect(try await scene.items(other) == ["[x] gift"])
        }
    }

    @Test("an assistant that asks too often must wait, like every device")
    func limited() async throws {
        try await AssistantScene.with(configure: { configuration in
            configuration.rates.requestsPerMinuteByDevice = 5
            configuration.stopRateClock()
        }) { scene in
            #expect(try await scene.post(Self.ping).status == 200)
            var answer = try await scene.post(Self.ping)
            for _ in 0..<4 where answer.status == 200 { answer = try await scene.post(Self.ping) }
            #expect(try answer.outcome == "429 requestRateLimited" && answer.headers["retry-after"] != nil)
        }
    }

    @Test("with a full disk the tools that read work, and the others say what is wrong")
    func fullDisk() async throws {
        let space = FreeSpace()
        try await AssistantScene.with(configure: { $0.diskProbe = space.probe }) { scene in
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            space.use()
            await scene.service.service.disk.check()
            let refused = try await scene.use("add", #"{"items":["eggs"]}"#)
            #expect(refused.isError && refused.text.contains("disk is full"))
            #expect(try await scene.use("show").answer?.items?.map(\.text) == ["milk"])
        }
    }

    /// The space that a disk has, until it is used up.
    private final class FreeSpace: Sendable {
        private let bytes = Mutex<Int64>(50 << 30)

        func use() { bytes.withLock { $0 = 1 << 20 } }

        var probe: @Sendable ([String]) -> DiskSpace? {
            { _ in DiskSpace(path: "/", free: self.bytes.withLock { $0 }, total: 100 << 30) }
        }
    }
}
