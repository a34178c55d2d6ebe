/// All that a run of the simulation depends on: people, devices, lists, and steps.
package struct Scenario: Hashable, Sendable {
    package var seed: UInt64
    package var people: Int
    package var devices: Int
    package var lists: Int
    package var steps: [Step]

    /// The scenario of a seed. As in swarm testing (Groce et al. 2012), each scenario leaves out some kinds of faults, so that
    /// the others come in more combinations.
    package init(seed: UInt64) {
        self.seed = seed
        var random = Randomness(seed: seed)
        devices = 3 + random.below(4)
        people = min(devices, 2 + random.below(3))
        lists = random.chance(75) ? 1 : 2
        var weights: [(kind: Step.Kind, weight: Int)] = []
        for kind in Step.Kind.allCases {
            let isIn = !kind.isFault || random.chance(50)
            if isIn { weights.append((kind, kind.weight * (kind.isFault && random.chance(20) ? 3 : 1))) }
        }
        let sum = weights.reduce(0) { $0 + $1.weight }
        steps = []
        for _ in 0..<(40 + random.below(110)) {
            var place = random.below(sum)
            let kind = weights.first { candidate in
                place -= candidate.weight
                return place < 0
            }
            steps.append(Step(kind?.kind ?? .act, random.below(64), random.next() >> 16))
        }
    }
}

extension Scenario: LosslessStringConvertible {
    /// Lines as ``description`` writes them; a line that begins with `#` is a comment.
    package init?(_ description: String) {
        self.init(seed: 0)
        steps = []
        for line in description.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words.count == 2, let number = UInt64(words[1]) {
                switch words[0] {
                case "seed": seed = number
                case "people": people = Int(number)
                case "devices": devices = Int(number)
                case "lists": lists = Int(number)
                default: return nil
                }
            } else if let step = Step(String(line)) {
                steps.append(step)
            } else {
                return nil
            }
        }
        guard (1...16).contains(people), (1...16).contains(devices), (1...4).contains(lists) else { return nil }
    }

    package var description: String {
        (["seed \(seed)", "people \(people)", "devices \(devices)", "lists \(lists)"] + steps.map(\.description))
            .joined(separator: "\n") + "\n"
    }
}
