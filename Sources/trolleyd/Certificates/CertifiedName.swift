import SwiftASN1
import X509

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A name or address by which devices reach the service.
enum CertifiedName: Hashable {
    /// In lower case.
    case domain(String)
    /// 4 bytes, or 16.
    case address([UInt8])

    /// nil: it is neither.
    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .address(withUnsafeBytes(of: four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self = .address(withUnsafeBytes(of: six) { Array($0) })
        } else {
            let name = text.lowercased()
            let labels = name.split(separator: ".", omittingEmptySubsequences: false)
            let isName = labels.allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                            || byte == UInt8(ascii: "-")
                    }
            }
            // What looks like an address that isn't one is a slip of the pen.
            guard isName, name.utf8.count <= 253, labels.last?.contains(where: \.isLetter) == true else { return nil }
            self = .domain(name)
        }
    }

    /// Whether only this machine reaches it.
    var isLoopback: Bool {
        switch self {
        case .domain(let name): name == "localhost"
        case .address(let bytes):
            bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// Whether it stands for every address of the machine.
    var isUnspecified: Bool {
        guard case .address(let bytes) = self else { return false }
        return bytes.allSatisfy { $0 == 0 }
    }

    var generalName: GeneralName {
        switch self {
        case .domain(let name): .dnsName(name)
        case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        }
    }

    /// How this machine is reached without further ado: by its name, also as multicast DNS has it, and by its address in the local
    /// network.
    static func ofThisMachine() -> [CertifiedName] {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let first = name.prefix { $0 != "." }
        var texts = ["\(first).local", name, "localhost", "127.0.0.1", "::1"]
        if let address = LocalNetwork.address() { texts.insert(address, at: 0) }
        var known: Set<CertifiedName> = []
        return texts.compactMap { CertifiedName($0) }.filter { known.insert($0).inserted }
    }
}

extension CertifiedName: CustomStringConvertible {
    var description: String {
        switch self {
        case .domain(let name): return name
        case .address(let bytes):
            var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
