/// A size of a QR code with error correction M, and how text becomes its codewords.
struct QRVersion {
    let number: Int
    /// All codewords; those of error correction in each block; blocks.
    private let total, correction, blocks: Int

    private static let all = [(26, 10, 1), (44, 16, 1), (70, 26, 1), (100, 18, 2), (134, 24, 2), (172, 16, 4)]

    /// The smallest one that holds this many bytes.
    static func fitting(_ bytes: Int) -> QRVersion? {
        all.enumerated().lazy.map { index, entry in
            QRVersion(number: index + 1, total: entry.0, correction: entry.1, blocks: entry.2)
        }.first { bytes + 2 <= $0.capacity }
    }

    private var capacity: Int { total - correction * blocks }

    /// Data and error correction, in blocks, interleaved.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        // The mode (bytes: 4), the length and the bytes are 4, 8 and 8 bits each; a mode 0 ends them.
        var data: [UInt8] = [0x40 | UInt8(bytes.count >> 4)]
        var rest = UInt8(bytes.count & 15)
        for byte in bytes {
            data.append(rest << 4 | byte >> 4)
            rest = byte & 15
        }
        data.append(rest << 4)
        var pad: UInt8 = 0xEC
        while data.count < capacity {
            data.append(pad)
            pad ^= 0xEC ^ 0x11
        }
        let (short, long) = (capacity / blocks, capacity % blocks)
        var parts: [(data: ArraySlice<UInt8>, check: [UInt8])] = []
        var position = 0
        for block in 0..<blocks {
            let length = short + (block >= blocks - long ? 1 : 0)
            let part = data[position..<position + length]
            parts.append((part, ReedSolomon.remainder(Array(part), correction)))
            position += length
        }
        var result: [UInt8] = []
        for index in 0...short {
            for part in parts where index < part.data.count { result.append(part.data[part.data.startIndex + index]) }
        }
        for index in 0..<correction { result += parts.map { $0.check[index] } }
        return result
    }
}

/// Error correction in the field of 256 elements, by 0x11D.
private enum ReedSolomon {
    private static let (powers, logarithms): ([UInt8], [Int]) = {
        var (powers, logarithms) = ([UInt8](repeating: 0, count: 510), [Int](repeating: 0, count: 256))
        var value = 1
        for index in 0..<255 {
            powers[index] = UInt8(value)
            powers[index + 255] = UInt8(value)
            logarithms[value] = index
            value = value << 1 ^ (value & 0x80 != 0 ? 0x11D : 0)
        }
        return (powers, logarithms)
    }()

    private static func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 {
        a == 0 || b == 0 ? 0 : powers[logarithms[Int(a)] + logarithms[Int(b)]]
    }

    static func remainder(_ data: [UInt8], _ count: Int) -> [UInt8] {
        var generator: [UInt8] = [1]
        for index in 0..<count {
            var next = [UInt8](repeating: 0, count: generator.count + 1)
            for (place, value) in generator.enumerated() {
                next[place] ^= value
                next[place + 1] ^= multiply(value, powers[index])
            }
            generator = next
        }
        var rest = data + [UInt8](repeating: 0, count: count)
        for index in data.indices where rest[index] != 0 {
            let factor = rest[index]
            for (place, value) in generator.enumerated() { rest[index + place] ^= multiply(value, factor) }
        }
        return Array(rest[data.count...])
    }
}
