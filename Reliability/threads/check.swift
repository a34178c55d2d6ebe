// A counter that four threads change, inside a mutex or, with an argument, beside it.

import Foundation
import Synchronization

final class Counter: Sendable {
    let inside = Mutex(0)
    nonisolated(unsafe) var beside = 0
}

let counter = Counter()
let races = CommandLine.arguments.count > 1
let threads = (0..<4).map { _ in
    Thread {
        for _ in 0..<20_000 {
            counter.inside.withLock { $0 += 1 }
            if races { counter.beside += 1 }
        }
    }
}
for thread in threads { thread.start() }
while threads.contains(where: { !$0.isFinished }) { usleep(1_000) }
print(counter.inside.withLock { $0 })
