/// A QR code (ISO/IEC 18004) of a short text: bytes, error correction M, versions 1 to 6, which is up to 106 bytes. The web
/// app's is `web/app/ui/qr.js`; a test compares the two.
struct QRCode {
    /// Modules a side.
    let size: Int
    /// By row; true is dark.
    private(set) var dark: [[Bool]]
    /// The modules that no mask changes.
    private var fixed: [[Bool]]

    /// Returns nil if the text is too long.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.fitting(bytes.count) else { return nil }
        size = 17 + 4 * version.number
        dark = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
        fixed = dark
        drawPatterns(alignment: version.number == 1 ? nil : size - 7)
        drawFormat(mask: 0)
        draw(version.codewords(of: bytes))
        var best = masked(0)
        for mask in 1..<8 {
            let other = masked(mask)
            if other.penalty < best.penalty { best = other }
        }
        dark = best.dark
    }

    private mutating func set(_ x: Int, _ y: Int, _ value: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y][x] = value
        fixed[y][x] = true
    }

    private mutating func drawPatterns(alignment: Int?) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (left, top) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            drawRings(left, top, reach: 4) { $0 != 2 && $0 != 4 }
        }
        if let alignment { drawRings(alignment, alignment, reach: 2) { $0 != 1 } }
    }

    /// Squares around a centre: `isDark` gets the distance from it.
    private mutating func drawRings(_ x: Int, _ y: Int, reach: Int, isDark: (Int) -> Bool) {
        for down in -reach...reach {
            for right in -reach...reach { set(x + right, y + down, isDark(max(abs(right), abs(down)))) }
        }
    }

    /// The level of error correction (M is 00) and the mask, twice.
    private mutating func drawFormat(mask: Int) {
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    /// Fills what is free, in columns of two, up and down in turns.
    private mutating func draw(_ data: [UInt8]) {
        var index = 0
        for right in stride(from: size - 1, through: 1, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for step in 0..<size {
                for x in [right, right - 1] {
                    let y = (right + 1) & 2 == 0 ? size - 1 - step : step
                    guard !fixed[y][x], index < data.count * 8 else { continue }
                    dark[y][x] = data[index >> 3] >> (7 - index & 7) & 1 == 1
                    index += 1
                }
            }
        }
    }

    private func masked(_ mask: Int) -> (dark: [[Bool]], penalty: Int) {
        var copy = self
        copy.drawFormat(mask: mask)
        for y in 0..<size {
            for x in 0..<size where !fixed[y][x] && Self.inverts(mask, x, y) { copy.dark[y][x].toggle() }
        }
        return (copy.dark, QRPenalty.of(copy.dark))
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// Lines for a terminal, two rows of modules each, with a light margin: dark on light whatever the terminal's colours are.
    var lines: [String] {
        let margin = 2
        func isDark(_ x: Int, _ y: Int) -> Bool {
            (0..<size).contains(x) && (0..<size).contains(y) && dark[y][x]
        }
        return stride(from: -margin, to: size + margin, by: 2).map { y in
            let cells = (-margin..<size + margin).map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }
            return "\u{1B}[97;40m" + cells.joined() + "\u{1B}[0m"
        }
    }
}
