import TrolleyJournal
import Workload

/// The cost of journals and uploads that were crafted to be expensive: a table of docs/benchmarks/journal.md.
struct Worst {
    let count: Int
    let compression: Double
    let steps: Double
    let turnedSteps: Double
    let anchors: Int
    let upload: Double

    init(count: Int) {
        self.count = count
        let run = Crafted.run(of: count)
        let turned = Crafted.turnedRun(of: count)
        let compressed = Compression(of: run, olderThan: Crafted.cutOff)
        let compressedTurned = Compression(of: turned, olderThan: Crafted.cutOff)
        compression = Scaling.milliseconds { _ = Compression(of: run, olderThan: Crafted.cutOff) }
        steps = Scaling.milliseconds { _ = compressed.steps(of: 100, in: run) }
        var made: [Compression] = []
        turnedSteps = Scaling.milliseconds { made = compressedTurned.steps(of: 100, in: turned) }
        anchors = made.reduce(0) { $0 + $1.anchors.count }

        let live = compressed.applied(to: run)
        let changes = Crafted.changes(400, to: count)
        upload = Scaling.milliseconds {
            var resolver = AppendResolver(activity: run, live: live, resolving: changes.map(\.entry))
            for change in changes { _ = resolver.resolve(change) }
        }
    }

    /// One person's reactions to one message.
    static func printReactions(_ counts: [Int]) {
        Swift.print("| reactions | fold, ms | show, ms | compress, ms |")
        Swift.print("|--:|--:|--:|--:|")
        for count in counts {
            let entries = Crafted.reactions(count)
            var conversation = Conversation()
            let fold = Scaling.milliseconds { conversation = Conversation(folding: entries) }
            let show = Scaling.milliseconds { _ = conversation.messages() }
            let compress = Scaling.milliseconds { _ = Compression(of: entries, olderThan: Crafted.cutOff) }
            Swift.print("| \(count) | \(fold) | \(show) | \(compress) |")
        }
    }

    static func print(_ counts: [Int]) {
        Swift.print(
            "| entries | compress, ms | in steps, ms | in steps, turned, ms | its new anchors | upload of 400, ms |")
        Swift.print("|--:|--:|--:|--:|--:|--:|")
        for count in counts {
            let worst = Worst(count: count)
            Swift.print(
                "| \(count) | \(worst.compression) | \(worst.steps) | \(worst.turnedSteps) | \(worst.anchors) "
                    + "| \(worst.upload) |")
        }
    }
}
