import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Errors as codes with sentences that an app can translate.
@Suite(.timeLimit(.minutes(20))) struct ErrorMessageTests {
    private static let list: ListID = Samples.id()

    private static let failures: [SyncFailure] =
        [
            .notSignedIn, .tooEarly(Timestamp(milliseconds: 0)), .alreadyRunning, .stopped,
            .transport(.unreachable("the connection was refused")), .transport(.notUnderstood("HTTP status 302")),
            .store(.busy), .transport(.problem(.signedOut(nil))),
        ] + ProblemCode.allCases.map { .transport(.problem(Problem($0))) }

    private static let errors: [DeviceError] =
        [
            .store(.noSuchList(list)), .store(.unreadable("wrong key")), .store(.busy), .store(.failed("disk full")),
            .transport(.unreachable("the connection was refused")), .transport(.notUnderstood("HTTP status 302")),
            .notSignedIn, .signedIn("ann@example.com"), .notAnAddress, .insecureAddress("http://nas"),
            .unreadableCertificates("a.pem", "no file"),
            .notCertificates("a.pem"), .notAnEmailAddress("bob"), .notAnInvitation,
            .invitationOfAnotherService("http://elsewhere:1"),
            .unusableText("it contains a NUL character"), .readOnly, .ownerCannotLeave, .onlyOwnerDeletes,
            .onlyOwnerShares, .notInStep(.alreadyRunning), .notPublished(nil), .notPublished(.notSignedIn),
            .noStateThen(isOffline: false), .noStateThen(isOffline: true), .noSuchChange(99, last: 7),
            .tripIsOver(Timestamp(milliseconds: 0), items: 3), .transport(.problem(.signedOut(nil))),
        ] + ProblemCode.allCases.map { .transport(.problem(Problem($0))) }

    private static let messages = errors.map(\.message) + failures.map(\.message)

    @Test func `every error has a sentence in the table, with something in each of its places`() {
        for message in Self.messages {
            #expect(ErrorMessage.english[message.key] != nil, "\(message.key)")
            #expect(!message.description.contains("{") && !message.description.isEmpty, "\(message.key)")
        }
        let used = Set(Self.messages.map(\.key))
        #expect(Set(ErrorMessage.english.keys).subtracting(used).isEmpty, "no sentence is left over")
    }

    @Test func `no sentence names a command`() {
        for (key, sentence) in ErrorMessage.english {
            #expect(!sentence.contains("trolley ") && !sentence.contains("--"), "\(key): \(sentence)")
        }
    }

    @Test func `codes are stable words`() {
        #expect(
            Set(Self.messages.map(\.code.rawValue)).subtracting(ProblemCode.allCases.map(\.rawValue)) == [
                "alreadyRunning", "busyFiles", "insecureAddress", "invitationOfAnotherService", "noStateThen",
                "noSuchChange", "noSuchList",
                "notAnAddress", "notAnEmailAddress",
                "notAnInvitation", "notCertificates", "notInStep", "notPublished", "notSignedIn", "notUnderstood",
                "onlyOwnerDeletes", "onlyOwnerShares", "ownerCannotLeave", "readOnly", "signedIn", "stopped",
                "tooEarly", "tripIsOver",
                "unreachable", "unreadableCertificates", "unreadableFiles", "unusableFiles", "unusableText",
            ])
        #expect(DeviceError.transport(.problem(Problem(.zoneBusy))).code == ErrorCode(.zoneBusy))
        #expect(DeviceError.readOnly.code == .readOnly)
    }

    @Test func `an error says itself what its sentence in the table says`() {
        for failure in Self.failures { #expect(failure.message.description == failure.description) }
        for error: QueueStoreError in [.noSuchList(Self.list), .unreadable("a"), .busy, .failed("b")] {
            #expect(error.message.description == error.description)
        }
        for error: TransportError in [.unreachable("a"), .notUnderstood("b"), .problem(Problem(.listDeleted, "c"))] {
            #expect(error.message.description == error.description)
        }
        #expect("\(DeviceError.signedIn("ann@example.com"))" == "ann@example.com is signed in on this device.")
        #expect(DeviceError.readOnly.errorDescription == DeviceError.readOnly.description)
    }

    @Test func `a sentence is translated by its key, with its arguments and the error that caused it`() {
        let german = [
            "signedIn": "{email} ist auf diesem Gerät angemeldet.",
            "notPublished": "Die Liste ist noch nicht beim Dienst: {cause}",
            "sync.zoneBusy": "Der Dienst hat gerade zu tun.", "tooEarly": "Nächster Versuch: {time}, {unknown}.",
        ]
        func text(_ error: DeviceError) -> String { error.message.text { german[$0] } }
        #expect(text(.signedIn("ann@example.com")) == "ann@example.com ist auf diesem Gerät angemeldet.")
        #expect(
            text(.notPublished(.transport(.problem(Problem(.zoneBusy)))))
                == "Die Liste ist noch nicht beim Dienst: Der Dienst hat gerade zu tun.")
        #expect(text(.readOnly) == DeviceError.readOnly.description, "English, where there is no translation")
        #expect(DeviceError.readOnly.message.text { $0 } == DeviceError.readOnly.description, "as Foundation answers")
        #expect(
            SyncFailure.tooEarly(Timestamp(milliseconds: 0)).message.text { german[$0] }
                == "Nächster Versuch: 1970-01-01T00:00:00.000Z, .")
    }

    @Test func `the service's own sentence says more, and a translation takes its place`() {
        let error = DeviceError.transport(.problem(Problem(.quotaExceeded, "an account may have 500 lists")))
        #expect(error.description == "an account may have 500 lists")
        #expect(error.message.text { _ in "Kein Platz mehr." } == "Kein Platz mehr.")
        #expect(error.message.detail == "an account may have 500 lists")
    }
}
