import Synchronization

/// Bounds the bytes that all requests together hold in memory, and each owner's share. A request beyond a bound is
/// refused instead of waiting.
///
/// An owner may hold a fixed share at most, and at most half of what the others have left. So there is always room for
/// another owner, however much the others take.
///
/// Bytes are counted as they arrive. Announcing many bytes takes nothing from others.
package final class ByteBudget<Owner: Hashable & Sendable>: Sendable {
    /// Why there is no room.
    package enum Refusal: Error, Hashable, Sendable {
        /// This holding alone exceeds one owner's share; a retry can't succeed.
        case tooLarge
        /// Other holdings use the bytes and will release them soon.
        case inUse
    }

    private struct State {
        var used = 0
        var byOwner: [Owner: Int] = [:]
    }

    /// The largest number of bytes for all owners together.
    package let total: Int
    /// The largest number of bytes for one owner.
    package let share: Int
    /// A holding of up to this many bytes may use the last quarter of the budget, so that large holdings never shut out
    /// small ones. 0: any holding may.
    private let small: Int
    /// Called with the number of free bytes after each holding that grows.
    private let makeRoom: (@Sendable (Int) -> Void)?
    private let state = Mutex(State())

    /// - Parameter makeRoom: shrinks a cache that uses free bytes to that many.
    package init(total: Int, share: Int, small: Int = 0, makeRoom: (@Sendable (Int) -> Void)? = nil) {
        self.total = max(0, total)
        self.share = min(max(0, share), self.total / 2)
        self.small = small
        self.makeRoom = makeRoom
    }

    /// Bytes in use.
    package var used: Int { state.withLock { $0.used } }
    var free: Int { total - used }

    /// Makes an empty holding. It releases its bytes when it is deallocated.
    package func reservation(for owner: Owner) -> Reservation { Reservation(of: self, owner) }

    fileprivate func take(_ count: Int, reservation held: Int, for owner: Owner) throws(Refusal) {
        let free = try state.withLock { state throws(Refusal) -> Int in
            guard held + count <= share else { throw .tooLarge }
            let ceiling = small == 0 || held + count <= small ? total : total - total / 4
            let before = state.byOwner[owner, default: 0]
            let owned = before + count
            guard owned <= min(share, (total - (state.used - before)) / 2), state.used + count <= max(ceiling, share)
            else { throw .inUse }
            state.byOwner[owner] = owned
            state.used += count
            return total - state.used
        }
        makeRoom?(free)
    }

    fileprivate func release(_ count: Int, of owner: Owner) {
        guard count > 0 else { return }
        state.withLock { state in
            let owned = state.byOwner[owner, default: 0] - count
            state.byOwner[owner] = owned > 0 ? owned : nil
            state.used -= count
        }
    }

    /// The bytes that one request holds.
    package final class Reservation: Sendable {
        private let budget: ByteBudget
        private let owner: Owner
        private let held = Mutex(0)

        fileprivate init(of budget: ByteBudget, _ owner: Owner) {
            self.budget = budget
            self.owner = owner
        }

        deinit { budget.release(held.withLock { $0 }, of: owner) }

        package var count: Int { held.withLock { $0 } }

        /// Holds more bytes.
        /// - Throws: `Refusal`; then the holding is unchanged.
        package func grow(by count: Int) throws(Refusal) {
            try held.withLock { held throws(Refusal) in
                try budget.take(count, reservation: held, for: owner)
                held += count
            }
        }

        /// Releases the bytes beyond this number.
        package func shrink(to count: Int) {
            held.withLock { held in
                guard count < held else { return }
                budget.release(held - count, of: owner)
                held = count
            }
        }
    }
}
