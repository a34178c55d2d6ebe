import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A call of the service's API that `Transport` has.
enum Call: Hashable, Sendable {
    case config
    case createList(CreateListRequest)
    case upload(UploadRequest, ListID)
    case changes(AllChangesRequest)

    var list: ListID? {
        switch self {
        case .upload(_, let list): list
        case .createList(let request): request.id
        case .config, .changes: nil
        }
    }
}

enum Answer: Sendable {
    case config(Limits)
    case list(ListResponse)
    case upload(UploadResponse)
    case changes(AllChangesResponse)
}

/// Who calls.
struct Caller: Hashable, Sendable {
    var account: AccountID
    var device: DeviceID
}

/// A process of the service. All processes have one database.
struct ServiceProcess: Sendable {
    var isStopped = false
    var limits = ServiceProcess.generous
    /// Whether a refusal for a request's size says the limits; a proxy's doesn't.
    var tellsLimits = true
    /// The compression that the process is carrying out.
    var plan: CompressionInSteps?
    /// The epoch that the process knows, for a defect.
    var epoch = 1
    /// An older copy of the database, for a defect.
    var lagging: Database?

    static let generous = Limits(entriesPerRequest: 50, changesPerPage: 500, defaultChangesPerPage: 100)
}
