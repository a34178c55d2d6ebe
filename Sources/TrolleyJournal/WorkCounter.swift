/// Counts the steps of algorithms with a promised cost, so that a test notices when one becomes quadratic. Comparing two
/// texts or two ids is a step, and so is each comparison of a sort. Only a build
/// with the package's trait `SeededFaults` counts; in other builds a step does nothing.
enum WorkCounter {
    #if SeededFaults
        /// Only the counting thread uses it.
        private final class Count: Sendable { nonisolated(unsafe) var steps = 0 }

        @TaskLocal private static var current: Count?

        static func step() { current?.steps += 1 }

        /// The number of steps in `body`.
        static func steps(in body: () throws -> Void) rethrows -> Int {
            let count = Count()
            try $current.withValue(count) { try body() }
            return count.steps
        }
    #else
        @inline(__always)
        static func step() {}
    #endif
}

/// An array that counts each read as a step.
struct CountedArray<Element> {
    private var elements: [Element] = []

    mutating func append(_ element: Element) { elements.append(element) }
}

extension CountedArray: Sendable where Element: Sendable {}

extension CountedArray: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    subscript(index: Int) -> Element {
        WorkCounter.step()
        return elements[index]
    }
}
