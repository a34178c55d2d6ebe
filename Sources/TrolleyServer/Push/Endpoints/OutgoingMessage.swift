/// A request to an endpoint. Its method is POST.
struct OutgoingMessage: Sendable {
    var headers: [(name: String, value: String)]
    var body: [UInt8]
}
