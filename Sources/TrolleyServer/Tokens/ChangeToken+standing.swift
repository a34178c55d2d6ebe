import TrolleyJournal
import TrolleyStore

extension ChangeToken {
    enum Standing: Hashable {
        /// What follows it is there, all of it.
        case honoured
        /// It is of another epoch, or some of what follows it is no longer there.
        case expired
        /// It is of this epoch and the list has not been where it is: the database is an older copy of what it was.
        case wentBack
    }

    /// How a token stands to what the primary database says of its list.
    func standing(to stretch: ChangeStretch) -> Standing {
        guard epoch == stretch.epoch.high else { return .expired }
        guard sequence <= stretch.head else { return .wentBack }
        if let mark, sequence > .start {
            if let found = stretch.mark {
                guard found == mark else { return .wentBack }
            } else if sequence != stretch.head, sequence != stretch.trailFrom {
                // Nobody knows what stood there, so nobody knows whether it is what the device has seen.
                return .expired
            }
        }
        return stretch.trailFrom > floor ? .expired : .honoured
    }
}
