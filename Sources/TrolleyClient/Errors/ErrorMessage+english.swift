import TrolleySync
import TrolleyWire

extension ErrorMessage {
    /// All sentences in English, by key.
    public static let english: [String: String] = [own, described, refusals].reduce(into: [:]) {
        $0.merge($1) { _, new in new }
    }

    private static let own = [
        "signedIn": "{email} is signed in on this device.",
        "notAnAddress": "This is not the address of a service. It looks like http://localhost:8080",
        "insecureAddress":
            "{server} is without TLS: others in the network could read the password and the lists. Use its https address.",
        "unreadableCertificates": "The certificates in {file} can't be used: {reason}.",
        "notCertificates": "{file} holds no certificates in PEM.",
        "notAnEmailAddress": "'{text}' is not an email address. It looks like anna@example.com",
        "notAnInvitation": "This is not an invitation. It looks like http://localhost:8080/join#SECRET",
        "invitationOfAnotherService":
            "The invitation is for the service at {server}, and this device is signed in elsewhere.",
        "unusableText": "The text can't be used: {reason}.",
        "readOnly": "You may read this list but not change it. Ask its owner for permission.",
        "ownerCannotLeave": "The list is your own.",
        "onlyOwnerDeletes": "Only its owner can delete the list.",
        "onlyOwnerShares": "Only its owner can share the list. Ask them to invite more people.",
        "notInStep": "The list isn't in step with the service, so it was left as it is; try again. {cause}",
        "notPublished": "The list has not reached the service yet, so nobody can join it. {cause}",
        "noStateThen": "The list did not exist then, so it stays as it is.",
        "noStateThen.offline": "This device knows nothing of the list from then, so it stays as it is.",
        "noSuchChange": "The list has no change {number}; its last one is {last}.",
        "tripIsOver":
            "The last change marked something off on a trip that is over, with {items} items. It was left as it is.",
        "tooEarly": "The next try is not due yet.",
        "noSuchList": "There is no list {list} on this device.",
    ]

    // If an error describes itself, the sentence is its description, with placeholders as arguments.
    private static let described = [
        "unreachable": TransportError.unreachable("{reason}").description,
        "notUnderstood": TransportError.notUnderstood("{reason}").description,
        "unreadableFiles": QueueStoreError.unreadable("{reason}").description,
        "busyFiles": QueueStoreError.busy.description,
        "unusableFiles": QueueStoreError.failed("{reason}").description,
        "notSignedIn": SyncFailure.notSignedIn.description,
        "alreadyRunning": SyncFailure.alreadyRunning.description,
        "stopped": SyncFailure.stopped.description,
        "signedOut": SyncFailure.signedOut,
    ]

    /// For each code of the service: its meaning for a call, and its meaning for a sync and the waiting changes.
    private static let refusals = ProblemCode.allCases.reduce(into: [String: String]()) { sentences, code in
        sentences[code.rawValue] = code.title
        sentences["sync.\(code.rawValue)"] = SyncFailure.sentence(for: code)
    }
}
