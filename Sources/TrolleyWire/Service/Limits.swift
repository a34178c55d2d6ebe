/// The service's limits on requests. `GET /v1/config` and every `limitExceeded` contain the limits in force.
public struct Limits: Hashable, Sendable, Codable {
    /// Entries in one upload.
    public var entriesPerRequest: Int
    /// Bytes in the body of one request.
    public var bytesPerRequest: Int
    /// Bytes in the JSON of one entry.
    public var bytesPerEntry: Int
    /// Bytes in the JSON of one entry's fields.
    public var bytesOfFields: Int
    /// Fields of one entry.
    public var fieldsPerEntry: Int
    /// The largest number of changes in one page.
    public var changesPerPage: Int
    /// Changes in one page when the device sets no limit.
    public var defaultChangesPerPage: Int
    /// People on a list, including its owner and invited people.
    public var participantsPerList: Int
    /// The largest age of an entry at its upload, in milliseconds; higher ages are cut to it.
    public var ageCap: Int64

    public init(
        entriesPerRequest: Int = 400, bytesPerRequest: Int = 2 << 20, bytesPerEntry: Int = 8 << 10,
        bytesOfFields: Int = 4 << 10, fieldsPerEntry: Int = 16, changesPerPage: Int = 5000,
        defaultChangesPerPage: Int = 1000, participantsPerList: Int = 100, ageCap: Int64 = 90 * 86_400_000
    ) {
        self.entriesPerRequest = entriesPerRequest
        self.bytesPerRequest = bytesPerRequest
        self.bytesPerEntry = bytesPerEntry
        self.bytesOfFields = bytesOfFields
        self.fieldsPerEntry = fieldsPerEntry
        self.changesPerPage = changesPerPage
        self.defaultChangesPerPage = defaultChangesPerPage
        self.participantsPerList = participantsPerList
        self.ageCap = ageCap
    }
}
