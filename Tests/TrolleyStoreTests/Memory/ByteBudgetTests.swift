import Testing

@testable import TrolleyStore

@Suite("Byte budgets", .timeLimit(.minutes(20)))
struct ByteBudgetTests {
    @Test("an owner has no more than their share, and the others have theirs")
    func share() throws {
        let budget = ByteBudget<String>(total: 100, share: 40)
        let (first, second, other) = (
            budget.reservation(for: "anna"), budget.reservation(for: "anna"), budget.reservation(for: "ben")
        )
        try first.grow(by: 30)
        #expect(throws: ByteBudget<String>.Refusal.inUse) { try second.grow(by: 20) }
        #expect(throws: ByteBudget<String>.Refusal.tooLarge) { try second.grow(by: 41) }
        try second.grow(by: 10)
        try other.grow(by: 30)
        #expect(budget.used == 70)
    }

    @Test("there is always room for one more small owner")
    func fairness() throws {
        let budget = ByteBudget<Int>(total: 96 << 20, share: 32 << 20)
        var reservations: [ByteBudget<Int>.Reservation] = []
        for owner in 0..<8 {
            let reservation = budget.reservation(for: owner)
            while (try? reservation.grow(by: 64 << 10)) != nil {}
            reservations.append(reservation)
        }
        #expect(
            reservations[0].count == 32 << 20 && reservations[1].count == 32 << 20 && reservations[2].count == 16 << 20)
        try budget.reservation(for: 9).grow(by: 64 << 10)
        reservations.removeFirst()
        try budget.reservation(for: 10).grow(by: 16 << 20)
    }

    @Test("large holdings leave a part for small ones")
    func small() throws {
        let budget = ByteBudget<Int>(total: 100, share: 50, small: 5)
        let large = (0..<3).map { budget.reservation(for: $0) }
        for reservation in large { try reservation.grow(by: 25) }
        #expect(throws: ByteBudget<Int>.Refusal.inUse) { try large[0].grow(by: 1) }
        let form = budget.reservation(for: 9)
        try form.grow(by: 5)
        #expect(throws: ByteBudget<Int>.Refusal.inUse) { try form.grow(by: 1) }
        #expect(form.count == 5)
    }

    @Test("a holding releases bytes when it shrinks, and all when it is deallocated")
    func givenBack() throws {
        let budget = ByteBudget<Int>(total: 200, share: 100)
        try {
            let reservation = budget.reservation(for: 1)
            try reservation.grow(by: 60)
            reservation.shrink(to: 20)
            #expect(budget.used == 20)
            reservation.shrink(to: 50)
            #expect(budget.used == 20)
        }()
        #expect(budget.used == 0)
        let next = budget.reservation(for: 1)
        try next.grow(by: 75)
    }
}
