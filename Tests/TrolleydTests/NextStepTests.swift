import Testing
import TrolleyStore

@testable import trolleyd

/// The last line of `trolleyd doctor`.
@Suite(.timeLimit(.minutes(20))) struct NextStepTests {
    @Test func `a failure comes first, then a warning, then nothing`() {
        let fine = Finding.ok("disk", "enough")
        let warning = Finding.warning("transport", "without TLS", "Set a certificate.")
        let failure = Finding.failed("mail", "no program", "Install it.")
        #expect([fine, warning, failure].nextStep == "mail: Install it.")
        #expect([fine, warning].nextStep == "transport: Set a certificate.")
        #expect([fine].nextStep == "nothing is to be done.")
    }
}
