/// How badly a QR code can be read: long runs, blocks, patterns like the finders', uneven shares.
enum QRPenalty {
    private static let finders: [[Bool]] = ["10111010000", "00001011101"].map { $0.map { $0 == "1" } }

    static func of(_ dark: [[Bool]]) -> Int {
        let size = dark.count
        let columns = (0..<size).map { x in dark.map { $0[x] } }
        var penalty = (dark + columns).reduce(0) { $0 + runs($1) + patterns($1) }
        for y in 1..<size {
            for x in 1..<size
            where dark[y][x] == dark[y - 1][x] && dark[y][x] == dark[y][x - 1] && dark[y][x] == dark[y - 1][x - 1] {
                penalty += 3
            }
        }
        let count = dark.reduce(0) { $0 + $1.count { $0 } }
        return penalty + abs(count * 20 - size * size * 10) / (size * size) * 10
    }

    /// For five or more alike: three, and one for each more.
    private static func runs(_ line: [Bool]) -> Int {
        var (penalty, length) = (0, 0)
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    private static func patterns(_ line: [Bool]) -> Int {
        (0...line.count - 11).count { start in finders.contains { line[start..<start + 11].elementsEqual($0) } } * 40
    }
}
