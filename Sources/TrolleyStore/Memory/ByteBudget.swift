import Synchronization

/// Bounds the bytes that all requests together keep in memory, and the share of each owner. Nobody waits: an owner beyond
/// the bound is refused and may come again.
///
/// An owner has no more than a fixed share, and no more than half of what the others have left. So there is always room for
/// one more owner, however many take all that they can.
///
/// Bytes are counted as they arrive, so that an announcement of many bytes takes nothing away from others.
public final class ByteBudget<Owner: Hashable & Sendable>: Sendable {
    /// Why there is no room.
    public enum Refusal: Error, Hashable, Sendable {
        /// This holding alone is larger than one owner's share: waiting does not help.
        case tooLarge
        /// Other holdings have the bytes; they give them back soon.
        case inUse
    }

    private struct State {
        var used = 0
        var byOwner: [Owner: Int] = [:]
    }

    /// Bytes in all.
    public let total: Int
    /// Bytes of one owner.
    public let share: Int
    /// A holding of up to this many bytes may use the last quarter of the budget: large ones never shut small ones out. 0: any
    /// holding may.
    private let small: Int
    private let state = Mutex(State())

    public init(total: Int, share: Int, small: Int = 0) {
        self.total = max(0, total)
        self.share = min(max(0, share), self.total / 2)
        self.small = small
    }

    /// Bytes that are held.
    public var used: Int { state.withLock { $0.used } }

    /// An empty holding. It gives back what it has when it is let go.
    public func holding(for owner: Owner) -> Holding { Holding(of: self, owner) }

    fileprivate func take(_ count: Int, holding held: Int, for owner: Owner) throws(Refusal) {
        try state.withLock { state throws(Refusal) in
            guard held + count <= share else { throw .tooLarge }
            let ceiling = small == 0 || held + count <= small ? total : total - total / 4
            let before = state.byOwner[owner, default: 0]
            let owned = before + count
            guard owned <= min(share, (total - (state.used - before)) / 2), state.used + count <= max(ceiling, share)
            else { throw .inUse }
            state.byOwner[owner] = owned
            state.used += count
        }
    }

    fileprivate func giveBack(_ count: Int, of owner: Owner) {
        guard count > 0 else { return }
        state.withLock { state in
            let owned = state.byOwner[owner, default: 0] - count
            state.byOwner[owner] = owned > 0 ? owned : nil
            state.used -= count
        }
    }

    /// The bytes that one request holds.
    public final class Holding: Sendable {
        private let budget: ByteBudget
        private let owner: Owner
        private let held = Mutex(0)

        fileprivate init(of budget: ByteBudget, _ owner: Owner) {
            self.budget = budget
            self.owner = owner
        }

        deinit { budget.giveBack(held.withLock { $0 }, of: owner) }

        public var count: Int { held.withLock { $0 } }

        /// Holds more bytes.
        /// - Throws: `Refusal`; then the holding is as it was.
        public func grow(by count: Int) throws(Refusal) {
            try held.withLock { held throws(Refusal) in
                try budget.take(count, holding: held, for: owner)
                held += count
            }
        }

        /// Gives back what is beyond this many bytes.
        public func shrink(to count: Int) {
            held.withLock { held in
                guard count < held else { return }
                budget.giveBack(held - count, of: owner)
                held = count
            }
        }
    }
}
