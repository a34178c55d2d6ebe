import Testing

@testable import TrolleyStore

@Suite("Byte budgets", .timeLimit(.minutes(1)))
struct ByteBudgetTests {
    @Test("an owner has no more than their share, and the others have theirs")
    func share() throws {
        let budget = ByteBudget<String>(total: 100, share: 40)
        let (first, second, other) = (
            budget.holding(for: "anna"), budget.holding(for: "anna"), budget.holding(for: "ben")
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
        var holdings: [ByteBudget<Int>.Holding] = []
        for owner in 0..<8 {
            let holding = budget.holding(for: owner)
            while (try? holding.grow(by: 64 << 10)) != nil {}
            holdings.append(holding)
        }
        #expect(holdings[0].count == 32 << 20 && holdings[1].count == 32 << 20 && holdings[2].count == 16 << 20)
        try budget.holding(for: 9).grow(by: 64 << 10)
        holdings.removeFirst()
        try budget.holding(for: 10).grow(by: 16 << 20)
    }

    @Test("large holdings leave a part for small ones")
    func small() throws {
        let budget = ByteBudget<Int>(total: 100, share: 50, small: 5)
        let large = (0..<3).map { budget.holding(for: $0) }
        for holding in large { try holding.grow(by: 25) }
        #expect(throws: ByteBudget<Int>.Refusal.inUse) { try large[0].grow(by: 1) }
        let form = budget.holding(for: 9)
        try form.grow(by: 5)
        #expect(throws: ByteBudget<Int>.Refusal.inUse) { try form.grow(by: 1) }
        #expect(form.count == 5)
    }

    @Test("a holding releases bytes when it shrinks, and all when it is deallocated")
    func givenBack() throws {
        let budget = ByteBudget<Int>(total: 200, share: 100)
        try {
            let holding = budget.holding(for: 1)
            try holding.grow(by: 60)
            holding.shrink(to: 20)
            #expect(budget.used == 20)
            holding.shrink(to: 50)
            #expect(budget.used == 20)
        }()
        #expect(budget.used == 0)
        let next = budget.holding(for: 1)
        try next.grow(by: 75)
    }
}
