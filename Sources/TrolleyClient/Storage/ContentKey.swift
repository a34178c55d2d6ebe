import Crypto
import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key that encrypts a device's content (AES-256-GCM). It is in a separate file, so that a copy of the database
/// alone reveals nothing.
struct ContentKey: Sendable {
    private let key: SymmetricKey

    /// A new key.
    init() { key = SymmetricKey(size: .bits256) }

    init(bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// Reads the key file, or creates it if it doesn't exist.
    init(path: String) throws(QueueStoreError) {
        if let bytes = PrivateFile.read(path) {
            self = try ContentKey(checking: bytes, path: path)
            return
        }
        let fresh = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        // Another process may have created the file first; then its key counts.
        _ = PrivateFile.create(path, fresh)
        guard let bytes = PrivateFile.read(path) else {
            throw .failed("the key file '\(path)' can't be written")
        }
        self = try ContentKey(checking: bytes, path: path)
    }

    private init(checking bytes: [UInt8], path: String) throws(QueueStoreError) {
        guard bytes.count == 32 else { throw .unreadable("the key file '\(path)' is damaged") }
        self.init(bytes: bytes)
    }

    /// - Parameter place: the content's place; it can be decrypted only there.
    func seal(_ content: some DataProtocol, at place: [UInt8]) throws(QueueStoreError) -> Data {
        do {
            guard let sealed = try AES.GCM.seal(content, using: key, authenticating: place).combined else {
                throw CryptoKitError.incorrectParameterSize
            }
            return sealed
        } catch {
            throw .failed("content can't be encrypted")
        }
    }

    func open(_ sealed: Data, at place: [UInt8]) throws(QueueStoreError) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: place)
        } catch {
            throw .unreadable("it was encrypted with another key, or is damaged")
        }
    }
}
