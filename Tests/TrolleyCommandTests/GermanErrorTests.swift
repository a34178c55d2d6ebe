import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

/// Every error has a sentence in German, which is another one than in English.
@Suite(.timeLimit(.minutes(20))) struct GermanErrorTests {
    private func both(_ text: () -> String) -> (english: String, german: String) {
        (
            MessageLanguage.$current.withValue(.english) { text() },
            MessageLanguage.$current.withValue(.german) { text() }
        )
    }

    private func expectGerman(_ place: String, _ text: () -> String) {
        let (english, german) = both(text)
        #expect(!german.isEmpty && german != english, "\(place): \(english)")
        #expect(!german.contains("'") || german.contains("trolley"), "English quotation marks: \(german)")
    }

    @Test func `every error of a command`() {
        var error: CommandError? = Self.next(after: nil)
        var count = 0
        while let present = error {
            // Of this one, only the file and the reason are said, and the reason is a text already.
            if case .badFile = present {} else { expectGerman("\(present)") { present.description } }
            count += 1
            error = Self.next(after: present)
        }
        #expect(count == 46)
    }

    @Test func `every error of the SDK`() {
        let list: ListID = .version7(at: Timestamp(milliseconds: 0), random: (0, 1))
        let stored: [QueueStoreError] = [.noSuchList(list), .unreadable("wrong key"), .busy, .failed("disk full")]
        let transport: [TransportError] =
            ConnectionFault.allCases.map { .unreachable($0.rawValue) }
            + ProblemCode.allCases.map { .problem(Problem($0)) }
            + [
                .unreachable("the certificate has expired"), .notUnderstood("HTTP status 302"),
                .problem(.signedOut(nil)),
            ]
        let failures: [SyncFailure] =
            [.notSignedIn, .tooEarly(Timestamp(milliseconds: 0)), .alreadyRunning, .stopped]
            + stored.map { .store($0) } + transport.map { .transport($0) }
        let errors: [DeviceError] =
            [
                .notSignedIn, .signedIn("ann@example.com"), .notAnAddress, .insecureAddress("http://nas"),
                .unreadableCertificates("a.pem", "no file"), .notCertificates("a.pem"), .notAnEmailAddress("bob"),
                .notAnInvitation, .invitationOfAnotherService("http://elsewhere:1"),
                .unusableText("it contains a NUL character"), .readOnly, .ownerCannotLeave, .onlyOwnerDeletes,
                .onlyOwnerShares, .notInStep(.alreadyRunning), .notPublished(nil), .notPublished(.notSignedIn),
                .noStateThen(isOffline: false), .noStateThen(isOffline: true), .noSuchChange(99, last: 7),
                .tripIsOver(Timestamp(milliseconds: 0), items: 3),
            ] + stored.map { .store($0) } + transport.map { .transport($0) }
        for error in errors { expectGerman("\(error)") { error.sentence } }
        for failure in failures {
            expectGerman("\(failure)") { failure.sentence }
            expectGerman("\(failure)") { failure.words() }
            expectGerman("\(failure)") { SyncProgress.blocked(failure, queued: 2).words(nil) }
        }
        for fault in ConnectionFault.allCases {
            #expect(!TransportError.unreachable(fault.rawValue).german.contains(fault.rawValue))
        }
        for reason in ListGoneReason.allCases { expectGerman("\(reason)") { reason.words } }
    }

    @Test func `every reason why a list can't contain a text, with its limit`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Party", isLocal: true)
        let (limits, long) = (Limits(), FieldValue.string(String(repeating: "x", count: 5000)))
        var many: Fields = [:]
        for number in 0...limits.fieldsPerEntry { many["field \(number)"] = "x" }
        let blank: Fields = [Fields.text: " "]
        var reasons: [String] = []
        for edit: ListEdit in [
            .rename("a\0b"), .add(device.identifier(), [Fields.text: long], .top),
            .add(device.identifier(), many, .top), .add(device.identifier(), blank, .top), .message(" "),
            .react(device.identifier(), ""),
        ] {
            let error = await #expect(throws: DeviceError.self) { try await list.perform([edit]) }
            if case .unusableText(let reason) = error { reasons.append(reason) }
        }
        for name in [" ", "a\nb"] {
            let error = await #expect(throws: DeviceError.self) { try await list.setShop(name) }
            if case .unusableText(let reason) = error { reasons.append(reason) }
        }
        #expect(reasons.count == 8)
        for reason in reasons {
            expectGerman(reason) { DeviceError.unusableText(reason).statement }
            let german = DeviceError.unusableText(reason).german
            #expect(!german.contains("auf Englisch"), "\(reason)")
            for number in reason.split(whereSeparator: { !$0.isWholeNumber }) {
                #expect(german.contains(number), "\(german)")
            }
        }
        await device.close()
    }

    @Test func `every reason why a file can't be used`() {
        let errors: [DocumentError] = [
            .notUTF8, .notText, .empty, .tooManyItems, .tooManyLists, .tooLarge, .notJSON, .laterVersion, .unknown,
            .namesMissing, .noRecipeInPage, .noItemColumn, .openQuote(line: 3), .tooManyCells(line: 3),
        ]
        for error in errors { expectGerman("\(error)") { error.words } }
        for error: RecipeError in [.tooManyLines, .tooLarge, .noLines, .noRecipeInPage] {
            expectGerman("\(error)") { error.words }
        }
    }

    @Test func `sentences are whole, with the advice`() {
        MessageLanguage.$current.withValue(.german) {
            #expect(
                DeviceError.notSignedIn.sentence
                    == "Auf diesem Gerät ist niemand angemeldet. Melde dich zuerst an: trolley sign-in URL --email EMAIL"
            )
            #expect(
                DeviceError.transport(.unreachable("the connection was refused")).sentence
                    == "Der Dienst ist nicht zu erreichen: Die Verbindung wurde abgewiesen.")
            #expect(
                DeviceError.tripIsOver(Timestamp(milliseconds: 0), items: 1).sentence
                    == """
                    Die letzte Änderung hat etwas bei einem Einkauf abgehakt, der vorbei ist (1 Eintrag). Es bleibt abgehakt. \
                    Um etwas wieder zu brauchen: trolley unmark EINTRAG. Um es trotzdem rückgängig zu machen: trolley undo --anyway
                    """)
            #expect(
                "\(CommandError.noSuchItem("Käse"))"
                    == "Einen Eintrag „Käse“ gibt es auf der Liste nicht. Alle zeigen: trolley show")
        }
    }

    @Test func `the service's own sentence is quoted only where it says what to change`() {
        MessageLanguage.$current.withValue(.german) {
            let short = Problem(.invalidArguments, "the password has 3 characters; 8 are the least")
            #expect(
                DeviceError.transport(.problem(short)).sentence
                    == """
                    Das hat der Dienst nicht angenommen. Der Dienst sagt dazu, auf Englisch: the password has 3 characters; 8 \
                    are the least
                    """)
            #expect(
                Problem(.zoneBusy, "wait").german
                    == "Bei dieser Liste ist gerade viel los. Versuche es gleich noch einmal.")
        }
    }

    /// All errors of commands, one after the other. A new one doesn't compile before it has its place here.
    private static func next(after error: CommandError?) -> CommandError? {
        switch error {
        case nil: .noList([])
        case .noList: .noCurrentList(nil)
        case .noCurrentList:
            .left(
                Notice(
                    list: .version7(at: Timestamp(milliseconds: 0), random: (0, 1)), listName: "Party",
                    reason: .deleted,
                    keptAside: 0, at: Timestamp(milliseconds: 0)))
        case .left: .onThisDeviceAlone("Party")
        case .onThisDeviceAlone: .noSuchList("Party")
        case .noSuchList: .ambiguousList("Party", [])
        case .ambiguousList: .noSuchItem("milk")
        case .noSuchItem: .ambiguousItem("milk", [])
        case .ambiguousItem: .struckItem("milk")
        case .struckItem: .nothingToAdd
        case .nothingToAdd: .noPortions
        case .noPortions: .noSuchLine(9, of: 3)
        case .noSuchLine: .noSuchAisle("Dairy", among: ["Bakery"])
        case .noSuchAisle: .noSuchAisleOnList("Dairy", among: ["Bakery"])
        case .noSuchAisleOnList: .noSuchShop("Corner", among: ["Market"])
        case .noSuchShop: .sameList("Party")
        case .sameList: .nothingToCopy("Party")
        case .nothingToCopy: .nothingToTake("Party")
        case .nothingToTake: .notUTF8
        case .notUTF8: .noPassword
        case .noPassword: .noNewPassword
        case .noNewPassword: .noSuchDevice("phone")
        case .noSuchDevice: .noSuchWebhook("bot")
        case .noSuchWebhook: .noSuchToken("bot")
        case .noSuchToken: .ambiguousToken("bot", [])
        case .ambiguousToken: .ambiguousDevice("phone", [])
        case .ambiguousDevice: .thisDevice
        case .thisDevice: .passwordsDiffer
        case .passwordsDiffer: .noAccount(server: "nas", email: "ann@example.com", hasLists: true)
        case .noAccount: .noAnswer(address: "nas", reason: "the connection was refused")
        case .noAnswer: .afterItself
        case .afterItself: .noSuchPerson("Bob")
        case .noSuchPerson: .ambiguousPerson("Bob", [])
        case .ambiguousPerson: .notOnTheList("Bob")
        case .notOnTheList: .isOwner("Bob")
        case .isOwner: .noSuchInvitation("Bob")
        case .noSuchInvitation: .notConfirmed
        case .notConfirmed: .notPutBack
        case .notPutBack: .noSuchPage("x")
        case .noSuchPage: .noSuchMessage("x")
        case .noSuchMessage: .ambiguousMessage("x", 2)
        case .ambiguousMessage: .othersMessage("x")
        case .othersMessage: .noSuchTrip("9")
        case .noSuchTrip: .noSuchPick(9, of: 3)
        case .noSuchPick: .ambiguousTrip("2026-11-22", [])
        case .ambiguousTrip: .badFile("a.txt", "it is too large")
        case .badFile: nil
        }
    }
}
