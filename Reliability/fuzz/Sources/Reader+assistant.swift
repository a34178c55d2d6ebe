import FoundationEssentials

@testable import TrolleyAssistant

extension Reader {
    /// Messages of the Model Context Protocol.
    static let assistant = [
        Reader(name: "assistant") { bytes in
            guard case .reply(let reply) = AssistantTurn(reading: bytes) else { return }
            require(!reply.bytes.contains(UInt8(ascii: "\n")), "an answer of several lines")
            // By Foundation's reader: ours takes no U+0000, which an answer may repeat.
            do { _ = try JSONDecoder().decode(Anything.self, from: Data(reply.bytes)) } catch {
                fatalError("the answer is no JSON: \(reply.bytes.text)")
            }
        }
    ]
}
