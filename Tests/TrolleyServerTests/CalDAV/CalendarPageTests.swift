import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleyWire

@testable import TrolleyServer

/// `DAV:limit` in a sync-collection (RFC 6578 §3.6 and 3.7).
@Suite("CalDAV syncs in pages", .timeLimit(.minutes(20)))
struct CalendarPageTests {
    @Test("a first sync in pages tells each task once, and what changes between the pages once more")
    func first() async throws {
        try await CalendarScene.with { scene in
            for number in 0..<26 { try await scene.put("\(number).ics", "SUMMARY:thing\(number)", uid: "\(number)") }
            // The client never hears of a task that was gone before it began.
            try await scene.put("old.ics", "SUMMARY:old", uid: "old")
            try await scene.call("DELETE", scene.path + "old.ics")
            var client = PagingClient()
            for _ in 0..<2 {
                let page = try await client.read(from: scene, limit: 3)
                #expect(page.isTruncated)
            }
            #expect(client.tasks.count == 6)
            // Two that it has, two that it hasn't, and a new one.
            try await scene.put("1.ics", "SUMMARY:one", uid: "1")
            try await scene.call("DELETE", scene.path + "2.ics")
            try await scene.put("20.ics", "SUMMARY:twenty", uid: "20")
            try await scene.call("DELETE", scene.path + "21.ics")
            try await scene.put("new.ics", "SUMMARY:new", uid: "new")
            let pages = try await client.readAll(from: scene, limit: 3)
            #expect(try await scene.etags() == client.tasks)
            for number in 0..<26 {
                let times = number == 1 || number == 2 ? 2 : 1
                #expect(client.told["\(number).ics"] == times, "\(number)")
            }
            #expect(client.told["new.ics"] == 1 && client.told["old.ics"] == nil)
            // 18 that didn't change, two that were edited, two that are gone, and the new one.
            #expect(pages.map(\.count) == [3, 3, 3, 3, 3, 3, 3, 2] && pages.last?.isTruncated == false)
        }
    }

    @Test("later syncs in pages go on where the last one ended, deletions and edits between the pages included")
    func later() async throws {
        try await CalendarScene.with { scene in
            for number in 0..<26 { try await scene.put("\(number).ics", "SUMMARY:thing\(number)", uid: "\(number)") }
            var client = PagingClient()
            let all = try await client.readAll(from: scene, limit: nil)
            #expect(all.map(\.count) == [26])
            client.told = [:]
            for number in 0..<5 { try await scene.put("\(number).ics", "SUMMARY:x\(number)", uid: "\(number)") }
            for number in 5..<9 { try await scene.call("DELETE", scene.path + "\(number).ics") }
            let page = try await client.read(from: scene, limit: 3)
            #expect(page.isTruncated)
            #expect(client.told == ["0.ics": 1, "1.ics": 1, "2.ics": 1])
            // One that was told, and one that wasn't yet.
            try await scene.put("0.ics", "SUMMARY:again", uid: "0")
            try await scene.put("3.ics", "SUMMARY:again", uid: "3")
            let pages = try await client.readAll(from: scene, limit: 3)
            #expect(pages.map(\.count) == [3, 3, 1])
            #expect(try await scene.etags() == client.tasks)
            #expect(client.told["0.ics"] == 2 && client.told["3.ics"] == 1 && client.told["9.ics"] == nil)
            for number in 4..<9 { #expect(client.told["\(number).ics"] == 1, "\(number)") }
            // As many as the client allows are no part.
            try await scene.put("9.ics", "SUMMARY:nine", uid: "9")
            let exact = try await client.read(from: scene, limit: 1)
            #expect(exact.count == 1 && !exact.isTruncated)
            let none = try await client.read(from: scene, limit: 1)
            #expect(none.count == 0)
        }
    }

    @Test("tasks that one compression removes are told in pages, each once")
    func compressed() async throws {
        try await CalendarScene.with { scene in
            for number in 0..<8 {
                try await scene.put("\(number).ics", "SUMMARY:thing\(number)", "STATUS:COMPLETED", uid: "\(number)")
            }
            try await scene.put("bread.ics", "SUMMARY:bread", uid: "bread")
            var client = PagingClient()
            _ = try await client.readAll(from: scene, limit: nil)
            client.told = [:]
            let later = HostedClock.now().wall.advanced(byMilliseconds: 60_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: later) != nil)
            let pages = try await client.readAll(from: scene, limit: 3)
            #expect(pages.map(\.count) == [3, 3, 2])
            #expect(try await scene.etags() == client.tasks)
            for number in 0..<8 { #expect(client.told["\(number).ics"] == 1, "\(number)") }
        }
    }

    @Test("a first sync in pages goes on in a list that has forgotten what was deleted before")
    func forgotten() async throws {
        try await CalendarScene.with { scene in
            for number in 0..<5 { try await scene.put("\(number).ics", "SUMMARY:thing\(number)", uid: "\(number)") }
            var client = PagingClient()
            let page = try await client.read(from: scene, limit: 2)
            #expect(page.isTruncated)
            _ = try await scene.service.pool.withConnection { connection in
                try await connection.execute("UPDATE list SET trail_from = head WHERE id = \(scene.list)")
            }
            let pages = try await client.readAll(from: scene, limit: 2)
            #expect(pages.map(\.count) == [2, 1])
            #expect(try await scene.etags() == client.tasks)
        }
    }

    @Test("a limit of 0 is refused if there is something to tell, and one that is no number always")
    func limits() async throws {
        try await CalendarScene.with { scene in
            let (_, token) = try await scene.sync("")
            try await scene.put("a.ics", "SUMMARY:a")
            let (_, newest) = try await scene.sync(token)
            for (since, limit, status) in [
                ("", "<nresults>0</nresults>", 507), (token, "<nresults>0</nresults>", 507),
                (newest, "<nresults>0</nresults>", 207),
                (token, "<nresults>99999999999999999999</nresults>", 207), (token, "<nresults>-1</nresults>", 400),
                (token, "<nresults>many</nresults>", 400), (token, "<nresults/>", 400), (token, "", 400),
            ] {
                let answer = try await scene.sync(since, limit: "<limit>\(limit)</limit>")
                #expect(answer.status == status, "\(limit): \(answer.text)")
                if status == 507 { #expect(answer.text.contains("<d:number-of-matches-within-limits/>")) }
            }
            // What a page's token says of an item is no item.
            let refused = try await scene.sync(token + ":x", limit: "")
            #expect(refused.status == 403 && refused.text.contains("<d:valid-sync-token/>"))
        }
    }
}

/// A client that reads a list in pages.
private struct PagingClient {
    struct Page {
        var count: Int
        var isTruncated: Bool
    }

    /// The tasks' etags, by name.
    var tasks: [String: String] = [:]
    /// How often each task was told.
    var told: [String: Int] = [:]
    private var token = ""

    /// - Returns: how many changes it told, and whether there are more.
    mutating func read(from scene: CalendarScene, limit: Int?) async throws -> Page {
        let answer = try await scene.sync(
            token, limit: limit.map { "<limit><nresults>\($0)</nresults></limit>" } ?? "")
        try #require(answer.status == 207, "\(answer.text)")
        token = String(try #require(answer.text.firstMatch(of: /<d:sync-token>([^<]*)<\/d:sync-token>/)?.output.1))
        var page = Page(count: 0, isTruncated: false)
        for response in answer.text.split(separator: "<d:response>").dropFirst() {
            if response.contains("HTTP/1.1 507 Insufficient Storage") {
                #expect(response.hasPrefix("<d:href>\(scene.path)</d:href>"))
                #expect(response.contains("<d:error><d:number-of-matches-within-limits/></d:error>"))
                page.isTruncated = true
                continue
            }
            let name = String(try #require(response.firstMatch(of: /\/([^\/<]+)<\/d:href>/)?.output.1))
            page.count += 1
            told[name, default: 0] += 1
            tasks[name] = response.firstMatch(of: /<d:getetag>([^<]*)</).map { String($0.output.1) }
        }
        return page
    }

    mutating func readAll(from scene: CalendarScene, limit: Int?) async throws -> [Page] {
        var pages = [try await read(from: scene, limit: limit)]
        while pages.last?.isTruncated == true, pages.count < 50 {
            pages.append(try await read(from: scene, limit: limit))
        }
        return pages
    }
}

extension CalendarScene {
    fileprivate func sync(_ token: String, limit: String) async throws -> Answer {
        try await call(
            "REPORT", path,
            "<sync-collection xmlns='DAV:'><sync-token>\(token)</sync-token><sync-level>1</sync-level>\(limit)<prop><getetag/></prop></sync-collection>",
            headers: ["depth": "0"])
    }

    /// The etags of the list's tasks, by name, as a PROPFIND tells them.
    fileprivate func etags() async throws -> [String: String] {
        let answer = try await propfind(path, depth: "1", "getetag")
        var etags: [String: String] = [:]
        for response in answer.text.split(separator: "<d:response>").dropFirst() where response.contains(".ics<") {
            let name = try #require(response.firstMatch(of: /\/([^\/<]+)<\/d:href>/)?.output.1)
            etags[String(name)] = response.firstMatch(of: /<d:getetag>([^<]*)</).map { String($0.output.1) }
        }
        return etags
    }
}
