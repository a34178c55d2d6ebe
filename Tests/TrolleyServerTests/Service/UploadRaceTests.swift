import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Uploads at once", .timeLimit(.minutes(20)))
struct UploadRaceTests {
    @Test("fifty uploads of one request, half of them cut off, leave each entry there once")
    func fifty() async throws {
        try await TestService.with(connections: 8) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let entries = (1...40).map { JournalEntry.add("item \($0)", Int64($0)) }
            let body = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) }).json
            let head =
                "POST \(Path.entries(list)) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                + "content-length: \(body.count)\r\n\r\n"
            let answers = try await withThrowingTaskGroup(of: UploadResponse?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        if number % 2 == 0 {
                            return try await service.upload(entries, to: list, by: anna)
                        }
                        return try await RawConnection.with(port: service.port) { _, writer in
                            // Some are cut in the middle of the body, most after the whole body was sent.
                            try await writer.write(Array(head.utf8) + (number % 8 == 1 ? body.prefix(900) : body[...]))
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(answers.count == 25)
            for answer in answers {
                #expect(answer.results.map(\.sequence?.rawValue) == Array(1...40))
                #expect(answer.results.allSatisfy { $0.status != .rejected })
            }
            #expect(Set(answers.map { $0.results.map(\.madeAt) }).count == 1)
            let page = try await service.changes(list, for: anna)
            #expect(page.sequences == Array(1...40))
            #expect(page.entries.map(\.entry) == entries)
        }
    }
}
