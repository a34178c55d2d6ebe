import Crypto
import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key that a device's content is encrypted with (AES-256-GCM). It lives in a file of its own, so that a copy of
/// the database alone tells nothing.
struct ContentKey: Sendable {
    private let key: SymmetricKey

    init(bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// Reads the key file, and makes it first when it is not there.
    init(path: String) throws(QueueStoreError) {
        if let bytes = PrivateFile.read(path) {
            self = try ContentKey(checking: bytes, path: path)
            return
        }
        let fresh = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        // Another process may have been faster: then its key is the key.
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

    /// - Parameter place: where the content belongs; it opens nowhere else.
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
