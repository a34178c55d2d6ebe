import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TrolleyJournal

/// Finds out why a service's certificate isn't trusted. The TLS library says only that it isn't, so this opens a
/// connection that sends nothing, reads the certificate and closes it at once.
struct CertificateInspection {
    /// The parts of a certificate that explain why it isn't trusted.
    struct Certificate: Hashable, Sendable {
        var validFrom: Timestamp
        var validUntil: Timestamp
        /// Host names and addresses, in lower case.
        var names: [String]
    }

    let host: String
    let port: Int
    /// Whether authorities other than the system's are trusted.
    let hasOwnAuthorities: Bool

    /// - Returns: nil when no server answers.
    func reason() async -> String? {
        switch await certificate() {
        case .shown(let certificate): reason(for: certificate, now: .now())
        case .noTLS: "nothing speaks TLS at \(host):\(port); perhaps its address begins with http://"
        case .nothing: nil
        }
    }

    func reason(for certificate: Certificate, now: Timestamp) -> String {
        func day(_ time: Timestamp) -> String { String(time.description.prefix(10)) }
        if now > certificate.validUntil {
            return
                "the certificate of \(host) expired on \(day(certificate.validUntil)), or this device's clock is wrong"
        }
        if now < certificate.validFrom {
            return
                "the certificate of \(host) is valid only from \(day(certificate.validFrom)), or this device's clock is wrong"
        }
        if !certificate.names.contains(where: { matches($0) }) {
            let names = certificate.names.isEmpty ? "no name" : certificate.names.prefix(4).joined(separator: ", ")
            return "the certificate there is for \(names), not for \(host)"
        }
        if hasOwnAuthorities {
            return """
                the certificate of \(host) is signed by no authority that this device knows, neither the system's nor those of \
                the CA file
                """
        }
        return """
            the certificate of \(host) is signed by an authority that this device doesn't know
            """
    }

    /// RFC 6125: a star stands for the whole first label.
    private func matches(_ name: String) -> Bool {
        let host = host.lowercased()
        if name == host { return true }
        guard name.hasPrefix("*."), let dot = host.firstIndex(of: ".") else { return false }
        return host[dot...] == name.dropFirst()
    }

    // MARK: Reading

    private enum InspectionResult: Sendable {
        case shown(Certificate)
        case noTLS
        case nothing
    }

    private func certificate() async -> InspectionResult {
        let certificateBox = CertificateBox()
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            // Accepts any certificate, because it is only read.
            configuration.certificateVerification = .noHostnameVerification
            let context = try NIOSSLContext(configuration: configuration)
            let name = isAddress ? nil : host
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(
                                context: context, serverHostname: name,
                                customVerificationCallback: { certificates, promise in
                                    certificateBox.certificate.withLock {
                                        $0 = certificates.first.map(Certificate.init)
                                    }
                                    promise.succeed(.failed)
                                }))
                    }
                }
                .connect(host: host, port: port).get()
            channel.closeFuture.whenComplete { _ in ended.finish() }
            // Gives up on a server that never answers.
            let timer = channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
            for await _ in ends {}
            timer.cancel()
        } catch {
            return .nothing
        }
        return certificateBox.certificate.withLock(\.self).map { .shown($0) } ?? .noTLS
    }

    private final class CertificateBox: Sendable {
        let certificate = Mutex<Certificate?>(nil)
    }

    private var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }
}

extension CertificateInspection.Certificate {
    init(_ certificate: NIOSSLCertificate) {
        func time(_ seconds: Int) -> Timestamp { Timestamp(milliseconds: Int64(seconds) * 1000) }
        validFrom = time(certificate.notValidBefore)
        validUntil = time(certificate.notValidAfter)
        names = certificate._subjectAlternativeNames().compactMap { name in
            name.contents.withUnsafeBufferPointer { bytes -> String? in
                switch name.nameType {
                case .dnsName: String(decoding: bytes, as: UTF8.self).lowercased()
                case .ipAddress: Self.address(bytes)
                default: nil
                }
            }
        }
    }

    private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        do { return try SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress } catch {
            return nil
        }
    }
}
