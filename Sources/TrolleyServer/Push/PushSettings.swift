/// How notices are sent to push services and webhooks.
package struct PushSettings: Sendable {
    /// Whether endpoints may be at private addresses and use `http`.
    package var allowsPrivateAddresses = false
    /// Whom push services may contact: `mailto:` or `https:`; nil: the web app's origin.
    package var contact: String?
    /// The time from a change of a list to the message that tells a registered program, so that what comes together is told
    /// together.
    var combining = Duration.seconds(1)
    /// The time between two such messages to one program about one list.
    var spacing = Duration.seconds(10)
    /// The time for an attempt: the host's address, the connection, the request and the answer.
    var timeout = Duration.seconds(10)
    /// Attempts at the same time.
    var parallel = 64
    /// Attempts at the same time for endpoints whose last attempt failed.
    var parallelFailing = 16
    /// The pause after the first failed attempt.
    var firstPause = Duration.seconds(5)
    /// The attempts of a delivery after which it is given up.
    var attempts = 20
}
