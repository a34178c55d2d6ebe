/// The lower-case letters of Unicode 17, the same on every device.
///
/// `String.lowercased()` follows the Unicode version of the system's Swift, so two devices could disagree whether two texts
/// mean the same item. In WebAssembly its tables, which have upper case and title case too, would take a twentieth of the
/// module.
enum LowercaseMapping {
    /// A letter in lower case.
    /// - Parameter scalar: not U+0130, whose lower case is two scalars.
    static func lowercase(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = Int32(scalar.value)
        var last: Int32 = 0
        var index = 0
        while index < ranges.count {
            let first = last + ranges[index]
            if value < first { break }
            last = first + ranges[index + 1]
            if value <= last {
                guard (value - first) % ranges[index + 2] == 0 else { break }
                return Unicode.Scalar(UInt32(value + ranges[index + 3])) ?? scalar
            }
            index += 4
        }
        return scalar
    }

    // Four numbers a range: the distance of its first letter from the last one of the range before, and of its last letter
    // from its first; the step from letter to letter; what is added for lower case. LowercaseMappingTests compare them with
    // the tables of Swift.
    // swift-format-ignore
    private static let ranges: [Int32] = [
        65, 25, 1, 32,  102, 22, 1, 32,  2, 6, 1, 32,  34, 46, 2, 1,  4, 4, 2, 1,  3, 14, 2, 1,  3, 44, 2, 1,
        2, 0, 1, -121,  1, 4, 2, 1,  4, 0, 1, 210,  1, 2, 2, 1,  2, 0, 1, 206,  1, 0, 1, 1,  2, 1, 1, 205,
        1, 0, 1, 1,  3, 0, 1, 79,  1, 0, 1, 202,  1, 0, 1, 203,  1, 0, 1, 1,  2, 0, 1, 205,  1, 0, 1, 207,
        2, 0, 1, 211,  1, 0, 1, 209,  1, 0, 1, 1,  4, 0, 1, 211,  1, 0, 1, 213,  2, 0, 1, 214,  1, 4, 2, 1,
        2, 0, 1, 218,  1, 0, 1, 1,  2, 0, 1, 218,  3, 0, 1, 1,  2, 0, 1, 218,  1, 0, 1, 1,  2, 1, 1, 217,  1, 2, 2, 1,
        2, 0, 1, 219,  1, 0, 1, 1,  4, 0, 1, 1,  8, 0, 1, 2,  1, 0, 1, 1,  2, 0, 1, 2,  1, 0, 1, 1,  2, 0, 1, 2,
        1, 16, 2, 1,  3, 16, 2, 1,  3, 0, 1, 2,  1, 2, 2, 1,  2, 0, 1, -97,  1, 0, 1, -56,  1, 38, 2, 1,
        2, 0, 1, -130,  2, 16, 2, 1,  8, 0, 1, 10795,  1, 0, 1, 1,  2, 0, 1, -163,  1, 0, 1, 10792,  3, 0, 1, 1,
        2, 0, 1, -195,  1, 0, 1, 69,  1, 0, 1, 71,  1, 8, 2, 1,  290, 2, 2, 1,  4, 0, 1, 1,  9, 0, 1, 116,
        7, 0, 1, 38,  2, 2, 1, 37,  2, 0, 1, 64,  2, 1, 1, 63,  2, 16, 1, 32,  2, 8, 1, 32,  36, 0, 1, 8,
        9, 22, 2, 1,  6, 0, 1, -60,  3, 0, 1, 1,  2, 0, 1, -7,  1, 0, 1, 1,  3, 2, 1, -130,  1, 15, 1, 80,
        1, 31, 1, 32,  49, 32, 2, 1,  10, 52, 2, 1,  2, 0, 1, 15,  1, 12, 2, 1,  3, 94, 2, 1,  3, 37, 1, 48,
        2890, 37, 1, 7264,  2, 0, 1, 7264,  6, 0, 1, 7264,  723, 79, 1, 38864,  1, 5, 1, 8,  2196, 0, 1, 1,
        7, 42, 1, -3008,  3, 2, 1, -3008,  321, 148, 2, 1,  10, 0, 1, -7615,  2, 94, 2, 1,  10, 7, 1, -8,
        9, 5, 1, -8,  11, 7, 1, -8,  9, 7, 1, -8,  9, 5, 1, -8,  12, 6, 2, -8,  9, 7, 1, -8,  25, 7, 1, -8,
        9, 7, 1, -8,  9, 7, 1, -8,  9, 1, 1, -8,  1, 1, 1, -74,  1, 0, 1, -9,  12, 3, 1, -86,  1, 0, 1, -9,
        12, 1, 1, -8,  1, 1, 1, -100,  13, 1, 1, -8,  1, 1, 1, -112,  1, 0, 1, -7,  12, 1, 1, -128,  1, 1, 1, -126,
        1, 0, 1, -9,  298, 0, 1, -7517,  4, 0, 1, -8383,  1, 0, 1, -8262,  7, 0, 1, 28,  46, 15, 1, 16,  20, 0, 1, 1,
        819, 25, 1, 26,  1841, 47, 1, 48,  49, 0, 1, 1,  2, 0, 1, -10743,  1, 0, 1, -3814,  1, 0, 1, -10727,
        3, 4, 2, 1,  2, 0, 1, -10780,  1, 0, 1, -10749,  1, 0, 1, -10783,  1, 0, 1, -10782,  2, 0, 1, 1,  3, 0, 1, 1,
        9, 1, 1, -10815,  1, 98, 2, 1,  9, 2, 2, 1,  5, 0, 1, 1,  31054, 44, 2, 1,  20, 26, 2, 1,  136, 12, 2, 1,
        4, 60, 2, 1,  11, 2, 2, 1,  2, 0, 1, -35332,  1, 8, 2, 1,  5, 0, 1, 1,  2, 0, 1, -42280,  3, 2, 2, 1,
        4, 18, 2, 1,  2, 0, 1, -42308,  1, 0, 1, -42319,  1, 0, 1, -42315,  1, 0, 1, -42305,  1, 0, 1, -42308,
        2, 0, 1, -42258,  1, 0, 1, -42282,  1, 0, 1, -42261,  1, 0, 1, 928,  1, 14, 2, 1,  2, 0, 1, -48,
        1, 0, 1, -42307,  1, 0, 1, -35384,  1, 2, 2, 1,  2, 0, 1, -42343,  1, 14, 2, 1,  2, 0, 1, -42561,
        25, 0, 1, 1,  22316, 25, 1, 32,  1222, 39, 1, 40,  137, 35, 1, 40,  157, 10, 1, 39,  2, 14, 1, 39,
        2, 6, 1, 39,  2, 1, 1, 39,  1771, 50, 1, 64,  158, 21, 1, 32,  2875, 31, 1, 32,  21889, 31, 1, 32,
        65, 24, 1, 27,  31304, 33, 1, 34,
    ]
}

extension String {
    /// The text in lower case, the same on every device: as `lowercased()` with Unicode 17.
    package var inLowerCase: String {
        let isSmall = withBytes { $0.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0) } }
        if isSmall { return self }
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            let isDottedI = scalar.value == 0x130
            let lower = isDottedI ? "i" : LowercaseMapping.lowercase(of: scalar)
            bytes.append(contentsOf: UTF8.encode(lower) ?? UTF8.encodedReplacementCharacter)
            if isDottedI { bytes += [0xCC, 0x87] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
