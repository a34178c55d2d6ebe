import NIOCore

/// Checks UTF-8 as its bytes arrive, so that a fault is noticed at the first byte that shows it (RFC 3629 §4, the table in
/// the Unicode standard, 3.9). A value.
struct UTF8Check: Hashable, Sendable {
    /// Bytes that the present scalar lacks.
    private var missing = 0
    /// What its next byte may be: the first continuation byte excludes overlong forms, surrogates and what is beyond U+10FFFF.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether no scalar is incomplete.
    var isComplete: Bool { missing == 0 }

    /// - Returns: false when no further bytes could make this UTF-8.
    mutating func accept(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            for byte in bytes {
                if missing == 0, byte < 0x80 { continue }
                guard accept(byte) else { return false }
            }
            return true
        }
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard allowed.contains(byte) else { return false }
            (missing, allowed) = (missing - 1, 0x80...0xBF)
            return true
        }
        switch byte {
        case 0xC2...0xDF: (missing, allowed) = (1, 0x80...0xBF)
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (missing, allowed) = (2, 0x80...0xBF)
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: (missing, allowed) = (3, 0x80...0xBF)
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
