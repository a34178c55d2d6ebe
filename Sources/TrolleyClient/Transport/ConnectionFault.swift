/// Why no answer came, where the certificate isn't the reason: the texts of ``TransportError/unreachable(_:)``.
package enum ConnectionFault: String, CaseIterable {
    case timeout = "it took too long"
    case connectTimeout = "connecting took too long"
    case answerTimeout = "the answer took too long"
    case cut = "the connection was cut"
    case refused = "the connection was refused"
    case notSecure = "no secure connection could be made"
    case noConnection = "no connection could be made"
}
