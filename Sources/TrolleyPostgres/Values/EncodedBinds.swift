/// The binds of one query, in the arrays that libpq takes.
struct EncodedBinds: Sendable {
    private(set) var types: [UInt32] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    /// Where each value starts in `bytes`; nil is NULL.
    private var offsets: [Int?] = []
    private var bytes: [UInt8] = []

    var count: Int { types.count }

    init(_ binds: [any PostgresEncodable]) {
        for bind in binds { append(bind) }
    }

    private mutating func append<Bind: PostgresEncodable>(_ bind: Bind) {
        types.append(Bind.postgresType.oid)
        formats.append(Bind.postgresFormat.rawValue)
        if bind.isPostgresNull {
            offsets.append(nil)
            lengths.append(0)
        } else {
            let start = bytes.count
            bind.encode(into: &bytes)
            offsets.append(start)
            lengths.append(Int32(clamping: bytes.count - start))
            bytes.append(0)  // libpq reads a text value up to its NUL
        }
    }

    func withPointers<R>(_ body: ([UnsafePointer<CChar>?]) -> R) -> R {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                body(offsets.map { offset in offset.flatMap { chars.baseAddress?.advanced(by: $0) } })
            }
        }
    }
}
