/// One event of a scenario. Any sequence of steps can be executed, so that steps can be left out.
package struct Step: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        // What people and programs do.
        /// A person makes one gesture on a device.
        case make
        /// A device goes on with its run, by some steps between two operations; an idle device begins a run.
        case act
        /// Shopping mode is switched on or off.
        case shop
        /// Time passes: up to an hour.
        case pause
        /// A process begins to compress a list, by a plan in several steps.
        case compress
        /// The process carries out the next step of its plan.
        case compressStep
        case backup

        // What goes wrong.
        /// A request never arrives.
        case loseRequest
        /// A request takes effect; its answer never arrives.
        case loseAnswer
        /// A request is held on its way. The device gives it up.
        case holdRequest
        /// A held request arrives.
        case arrive
        /// A request arrives twice.
        case repeatRequest
        /// A request is under way for up to a minute, while the person goes on.
        case slowRequest
        /// A device's program ends between two operations, perhaps after its request took effect.
        case crash
        /// A device restarts: its uptime begins again, under another boot id.
        case reboot
        /// Somebody sets a device's clock.
        case setClock
        /// Weeks or months pass.
        case longAway
        /// A call is refused: too many requests, unavailable, an internal error.
        case refuse
        /// A list is busy.
        case busyList
        /// A process answers nothing until it is started again.
        case stopProcess
        case startProcess
        /// A process gets lower limits on requests and pages.
        case lowerLimits
        case raiseLimits
        /// The trail of discards ends at a later change.
        case dropTrail
        /// The database becomes an older copy of itself, under a new epoch.
        case restore
        /// A person is removed from a list, or leaves it.
        case remove
        case rejoin
        /// A person may only read.
        case restrict
        case permit
        /// A person makes a change that the service can't take.
        case makeInvalid
    }

    package var kind: Kind
    /// The device, person, process or list, counted from 0 modulo their number.
    package var subject: Int
    /// What else is chosen.
    package var number: UInt64

    package init(_ kind: Kind, _ subject: Int, _ number: UInt64) {
        self.kind = kind
        self.subject = subject
        self.number = number
    }
}

extension Step.Kind {
    /// Whether a run must show that this did happen.
    package var isFault: Bool {
        switch self {
        case .make, .act, .shop, .pause, .startProcess, .raiseLimits, .permit: false
        default: true
        }
    }

    /// How often the step occurs in a scenario that has it, beside `make` and `act`.
    var weight: Int {
        switch self {
        case .make: 22
        case .act: 60
        case .compress, .compressStep, .arrive: 6
        case .shop, .raiseLimits, .permit, .restrict, .makeInvalid, .longAway, .dropTrail: 2
        case .restore: 2
        default: 4
        }
    }
}

extension Step: LosslessStringConvertible {
    package init?(_ description: String) {
        let words = description.split(separator: " ")
        guard words.count == 3, let kind = Kind(rawValue: String(words[0])), let subject = Int(words[1]),
            let number = UInt64(words[2])
        else { return nil }
        self.init(kind, subject, number)
    }

    package var description: String { "\(kind.rawValue) \(subject) \(number)" }
}
