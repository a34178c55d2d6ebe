/// What follows from an attempt.
enum DeliveryVerdict: Hashable, Sendable {
    case delivered
    /// Seconds that the endpoint asks to wait.
    case retry(failure: String, after: Int64?)
    /// No later attempt can succeed.
    case giveUp(failure: String)
    /// The endpoint will never accept anything again.
    case endTarget

    /// - Parameter isPush: whether a push service answered (RFC 8030), rather than a webhook.
    init(_ answer: EndpointAnswer, isPush: Bool) {
        self =
            switch answer.status {
            case 200..<300: .delivered
            case 300..<400: .giveUp(failure: "redirected")
            case 410: .endTarget
            case 404 where isPush: .endTarget
            case 408, 429, 500...: .retry(failure: "status \(answer.status)", after: answer.retryAfter)
            // A push service refuses the message itself. A webhook's owner may still correct it.
            case _ where isPush: .giveUp(failure: "status \(answer.status)")
            default: .retry(failure: "status \(answer.status)", after: answer.retryAfter)
            }
    }

    init(_ failure: DeliveryFailure) {
        self =
            failure.isPermanent
            ? .giveUp(failure: failure.reason) : .retry(failure: failure.reason, after: nil)
    }
}
