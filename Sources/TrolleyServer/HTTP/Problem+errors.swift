import HTTPTypes
import Hummingbird
import TrolleyStore
import TrolleySync
import TrolleyWire

// The only place that maps errors to responses.

extension Problem {
    init(answering error: any Error, limits: Limits) {
        switch error {
        case let problem as Problem: self = problem
        case let error as NotAuthenticated: self = Problem(.notAuthenticated, error.detail)
        case let error as StoreError: self = Problem(error, limits: limits)
        case let error as HostedChangeError: self = Problem(error)
        case let error as QueueStoreError: self = Problem(HostedChangeError.store(error))
        case let error as WireError: self = Problem(error, limits: limits)
        case let error as any HTTPResponseError: self = Problem(status: error.status, limits: limits)
        default: self = Problem(.internalError)
        }
    }

    private init(_ error: StoreError, limits: Limits) {
        switch error {
        case .emailTaken:
            self = Problem(
                .serverRecordChanged,
                "an account with this email exists already; sign in, or prove with a code that the address is yours")
        case .wrongEmailCode:
            self = Problem(.permissionFailure, "this code was used, is too old, or is not for this address")
        case .notOnList: self = Problem(.listNotFound)
        case .gone(let reason): self = Problem(.listDeleted, "the list is gone: \(reason.sentence)", reason: reason)
        case .readOnly: self = Problem(.permissionFailure, "you may read this list, not change it")
        case .ownerOnly: self = Problem(.permissionFailure, "only the list's owner may do that")
        case .listIDTaken: self = Problem(.serverRecordChanged, "another list has this id; make a new one")
        case .alreadyShared:
            self = Problem(.alreadyShared, "the list is shared; invite more people by its invitations")
        case .noSuchInvitation: self = Problem(.unknownItem, "the list has no such open invitation")
        case .secretTaken: self = Problem(.serverRecordChanged, "this secret is already in use; make a new one")
        case .alreadyOnList: self = Problem(.invalidArguments, "you are on this list; leave it instead")
        case .signUpNeedsInvitation:
            self = Problem(
                .permissionFailure,
                "signing up here needs an unused invitation for you; if you have an account, sign in")
        case .ownerHasFullPermission: self = Problem(.invalidArguments, "the owner may always change the list")
        case .unknownInvitation:
            self = Problem(.unknownItem, "this invitation doesn't exist, was used, or is for another person")
        case .readMarkOfTheFuture:
            self = Problem(.invalidArguments, "through is beyond the list's newest change")
        case .unknownParticipant: self = Problem(.unknownItem, "the list has no participant with this id")
        case .passwordChanged:
            self = Problem(.permissionFailure, "the password was changed meanwhile; nothing was done")
        case .unknownDevice: self = Problem(.unknownItem, "you have no such device")
        case .signedOut: self = .signedOut("this device was signed out; sign in again")
        case .ownerCannotLeave:
            self = Problem(.invalidArguments, "the owner can't leave the list; delete it or stop sharing it")
        case .tooManyParticipants:
            self = Problem(
                .tooManyParticipants, "a list may have at most \(limits.participantsPerList) people", limits: limits)
        case .tooManyShareChanges:
            self = Problem(
                .quotaExceeded,
                "the people on this list have changed too often; people can leave and be removed, not added or changed")
        case .tooManyLists: self = Problem(.quotaExceeded, "you own the maximum number of lists; delete one")
        case .tooManyDevices:
            self = Problem(
                .quotaExceeded,
                "you are signed in on the maximum number of devices; sign out on one that you don't use")
        case .tooManyHostedDevices:
            self = Problem(.quotaExceeded, "you have the maximum number of hosted devices; delete one")
        case .tooManyWebhooks: self = Problem(.quotaExceeded, "you have the maximum number of webhooks; delete one")
        case .tooManySubscriptions:
            self = Problem(.quotaExceeded, "you have the maximum number of push subscriptions; sign out on a device")
        case .unknownWebhook: self = Problem(.unknownItem, "you have no such webhook")
        case .tooManyPersonalTokens:
            self = Problem(.quotaExceeded, "you have the maximum number of personal tokens; revoke one")
        case .unknownPersonalToken: self = Problem(.unknownItem, "you have no such personal token")
        case .overloaded:
            self = Problem(.serviceUnavailable, "too much is being read at the same time", retryAfter: 1)
        case .tooLong:
            self = Problem(
                .limitExceeded, "the list is too long for one answer; read its changes page by page",
                limits: limits)
        case .busy, .overtaken:
            self = Problem(.zoneBusy, "too many devices are changing this list at the same time", retryAfter: 1)
        case .notAllReached:
            self = Problem(
                .serviceUnavailable, "a database node that may have this data is not reachable", retryAfter: 5)
        case .unavailable:
            self = Problem(error.outage ?? .unreachable)
        case .database: self = Problem(.internalError)
        }
    }

    init(_ outage: Outage) {
        self = Problem(
            outage == .nodeAway ? .zoneBusy : .serviceUnavailable, outage.sentence, retryAfter: outage.retryAfter)
    }

    private init(_ error: HostedChangeError) {
        switch error {
        case .noSuchList:
            self = Problem(.listNotFound, "the device has no such list; GET …/queue says which lists it has")
        case .ambiguousList(let candidates):
            self = Problem(
                .invalidArguments, "several lists match; name one by its id in list", candidates: candidates)
        case .noSuchItem: self = Problem(.unknownItem, "no item on the list matches")
        case .ambiguousItem(let candidates):
            self = Problem(
                .invalidArguments, "several items match; name one by its id in item", candidates: candidates)
        case .readOnly: self = Problem(.permissionFailure, "you may read this list, not change it")
        case .keyTaken:
            self = Problem(.serverRecordChanged, "this key or entry id was used for another change; use a new one")
        case .tooLong:
            self = Problem(.limitExceeded, "the list is too long for a hosted device; read its changes page by page")
        case .notFetched: self = Problem(.zoneBusy, "the device has not fetched this list yet", retryAfter: 5)
        case .notStored:
            self = Problem(
                .zoneBusy,
                "the device can't store this list, and its last changes have not come back; the service's log has the reason",
                retryAfter: 60)
        case .tooManyWaiting:
            self = Problem(
                .zoneBusy,
                "\(HostedQueueStore.maxWaiting) of the device's changes are not on their lists yet; …/queue shows those that "
                    + "are still to be sent", retryAfter: 5)
        case .tooManyRejected:
            self = Problem(
                .quotaExceeded,
                "\(HostedQueueStore.maxRejected) of the device's changes were rejected; …/queue shows them, and DELETE "
                    + "…/rejected dismisses them")
        case .store(.noSuchList): self = Problem(.listNotFound)
        case .store(.busy), .store(.failed):
            self = Problem(.serviceUnavailable, "the device's queues can't be reached", retryAfter: 2)
        case .store(.unreadable): self = Problem(.internalError)
        }
    }

    private init(_ error: WireError, limits: Limits) {
        switch error {
        case .malformed, .invalid: self = Problem(.invalidArguments, error.description)
        case .tooLarge(let what): self = Problem(.limitExceeded, what, limits: limits)
        }
    }

    /// Hummingbird's own errors, such as an unknown path, a body that is too large, or an invalid header.
    private init(status: HTTPResponse.Status, limits: Limits) {
        switch status.code {
        case 404, 405: self = Problem(.unknownRoute, "there is no such call; /openapi.yaml describes all calls")
        case 413:
            self = Problem(
                .limitExceeded, "a request may have at most \(limits.bytesPerRequest) bytes; split it",
                limits: limits)
        case 400..<500: self = Problem(.invalidArguments)
        case 503: self = Problem(.serviceUnavailable, retryAfter: 2)
        default: self = Problem(.internalError)
        }
    }
}

extension Outage {
    fileprivate var sentence: String {
        switch self {
        case .unreachable: "the database is not reachable"
        case .nodeAway: "the database node with this data is not reachable"
        case .diskFull: "the database's disk is full; nothing can be stored until there is room again"
        case .readOnly: "the database takes no changes just now"
        case .overloaded: "the database is too busy"
        }
    }

    /// Seconds. A condition that an operator must end lasts longer than one that passes by itself.
    fileprivate var retryAfter: Int {
        switch self {
        case .unreachable, .overloaded: 2
        case .readOnly, .nodeAway: 5
        case .diskFull: 30
        }
    }
}

extension ListGoneReason {
    fileprivate var sentence: String {
        switch self {
        case .deleted: "its owner deleted it"
        case .stoppedSharing: "its owner stopped sharing it"
        case .removed: "you are no longer on it"
        case .accountDeleted: "its owner's account was deleted"
        }
    }
}
