import Foundation

/// A mail server (Debian's aiosmtpd) on its own port, with the received messages. It refuses recipients named
/// `refused`.
// One test at a time reads the file handle.
package struct TestMailServer: @unchecked Sendable {
    package struct Message: Decodable, Sendable {
        package let sender: String
        package let recipients: [String]
        package let text: String
    }

    package let port: Int
    private let output: FileHandle

    /// The operator's mail command: Debian's msmtp, without a configuration.
    package var command: String {
        "msmtp --host=127.0.0.1 --port=\(port) --from=lists@example.com --tls=off --auth=off -t"
    }

    /// Runs the server while `body` runs.
    package static func with<Value>(_ body: (TestMailServer) async throws -> Value) async throws -> Value {
        let process = Process()
        // Debian's Python, because the package belongs to it.
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        guard let line = output.fileHandleForReading.line(), let port = Int(line) else {
            throw ProgramFailure(description: "aiosmtpd does not start; see script/bootstrap")
        }
        return try await body(TestMailServer(port: port, output: output.fileHandleForReading))
    }

    /// Waits for the next message.
    package func next() throws -> Message {
        guard let line = output.line() else { throw ProgramFailure(description: "the mail server has ended") }
        return try JSONDecoder().decode(Message.self, from: Data(line.utf8))
    }

    /// The next message's code.
    package func nextCode() throws -> String {
        let text = try next().text
        guard let code = text.firstMatch(of: /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/) else {
            throw ProgramFailure(description: "there is no code in the message")
        }
        return String(code.0)
    }

    private static let program = """
        import asyncio, json, sys
        from aiosmtpd.smtp import SMTP

        class Keep:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith("refused@"):
                    return "550 " + address + " is nobody here"
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server, session, envelope):
                message = {"sender": envelope.mail_from, "recipients": envelope.rcpt_tos,
                           "text": envelope.content.decode()}
                print(json.dumps(message), flush=True)
                return "250 OK"

        async def main():
            loop = asyncio.get_running_loop()
            server = await loop.create_server(lambda: SMTP(Keep()), "127.0.0.1", 0)
            print(server.sockets[0].getsockname()[1], flush=True)
            await loop.run_in_executor(None, sys.stdin.read)

        asyncio.run(main())
        """
}

extension FileHandle {
    /// Up to the next line feed; nil at the end.
    fileprivate func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = readData(ofLength: 1).first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
