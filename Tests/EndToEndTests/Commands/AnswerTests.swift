import Subprocess
import Testing

/// A command says what happened, in the words of the person's lists.
@Suite("Answers of commands", .timeLimit(.minutes(20)))
struct AnswerTests {
    @Test func `undo never takes a list's creation back, and 'message' is 'say'`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            try await anna("new", "Weekly shop")
            #expect(try await anna("undo").contains("There is nothing to undo."))
            try await anna("add", "milk")
            try await anna("rename", "Party")
            for _ in 1...3 { try await anna("undo") }
            let shown = try await anna("show")
            #expect(shown.contains("Weekly shop") && !shown.contains("milk"), "\(shown)")
            for _ in 1...2 { try await anna("redo") }
            #expect(try await anna("show").contains("Party"))
            #expect(try await anna("message", "who goes?").contains("Said."))
            #expect(try await anna("messages").contains("who goes?"))
            #expect(try await anna("message", "--help").contains("Write a message"))
        }
    }

    @Test func `what others did is named: applied, renamed, refetched, gone; and their messages can't be deleted`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            let ben = CommandLineDevice(home: "\(directory)/ben")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await ben("sign-up", service.address, "--email", "ben@example.com", "--name", "Ben")
                try await anna("new", "Weekly shop")
                try await anna("add", "milk")
                let invitation = try await anna("invite", "--json")
                let link = try #require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1)
                #expect(try await ben("join", String(link)).contains("You are on 'Weekly shop'."))

                try await anna("shopping", "on")
                try await ben("add", "jam", "soap", "tea")
                try await ben("delete", "tea")
                try await anna("sync")
                let shown = try await anna("show")
                let lines = shown.split(separator: "\n")
                #expect(lines.dropFirst().first?.contains("2 new items from others: jam, soap.") == true, "\(shown)")
                #expect(try await anna("apply").contains("New: jam, soap."))
                #expect(try await anna("apply").contains("Nothing was waiting."))
                try await anna("shopping", "off")

                try await ben("edit", "milk", "--text", "oat milk")
                #expect(try await ben("activity").contains("Ben renamed 'milk' to 'oat milk'"))
                let same = try await anna("refetch")
                #expect(same.contains("'Weekly shop' was fetched afresh: it has changed."), "\(same)")
                #expect(try await anna("refetch").contains("'Weekly shop' was fetched afresh: it is as it was."))

                try await anna("say", "who goes?")
                try await ben("sync")
                let refused = try await ben.fails("unsay", "1")
                #expect(refused.contains("'who goes?' is somebody else's"), "\(refused)")
                #expect(try await !ben("queue").contains("Refused"))

                try await ben("add", "bread")
                try await anna("leave", "--delete")
                for command in ["undo", "redo"] {
                    let gone = try await ben.fails(command)
                    #expect(
                        gone.contains("'Weekly shop'") && !gone.contains("There is no list 0"), "\(command): \(gone)")
                }
            }
        }
    }

    @Test func `a past state from this device's own data says only what is missing in it`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await anna("new", "Weekly shop")
                try await anna("add", "milk", "eggs")
                try await anna("off", "milk")
                try await anna("sync")
                let known = try await anna("replay", "--through", "3", "--offline")
                #expect(known.contains("This is what this device has.") && !known.contains("compressed"), "\(known)")
            }
            #expect(try await anna("activity").contains("This is what this device has."))
        }
    }
}
