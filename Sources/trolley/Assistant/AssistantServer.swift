import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal

/// Answers an assistant's program, line by line.
///
/// A tool is a command of this program. So an assistant may do what the device's person may, each call is one gesture that
/// 'undo' takes back, and errors are the command line's sentences.
struct AssistantServer {
    /// A request beyond this is refused before it is read as JSON.
    private static let maximumBytes = 1 << 20

    let device: Device
    /// When the device last asked the service for what is new.
    private var asked: ContinuousClock.Instant?

    init(device: Device) { self.device = device }

    /// - Parameter line: one message.
    /// - Returns: the answer, in one line; nil for a notification.
    mutating func answer(to line: String) async -> [UInt8]? {
        guard line.utf8.count <= Self.maximumBytes else {
            return AssistantReply.tooLong(maximumBytes: Self.maximumBytes).bytes
        }
        switch AssistantTurn(reading: Array(line.utf8)) {
        case .accept: return nil
        case .reply(let reply): return reply.bytes
        case .call(let tool, let arguments, let exchange):
            let outcome: AssistantOutcome
            do throws(AssistantFailure) {
                let line = try tool.commandLine(arguments)
                if tool.isReadOnly { await refresh() }
                outcome = await run(line)
            } catch {
                outcome = .failed(error.sentence)
            }
            return exchange.reply(outcome).bytes
        case .resources(let exchange):
            do throws(AssistantFailure) {
                let known = try await lists()
                let resources = known.map { AssistantResource(list: $0.id, name: $0.name ?? "") }
                return exchange.reply(resources: resources).bytes
            } catch {
                return exchange.refuse(error).bytes
            }
        case .read(let list, let exchange):
            await refresh()
            return exchange.reply(await run(["show", "--list=\(list)"]), reading: list).bytes
        }
    }

    /// Runs a command of this program.
    /// - Returns: its JSON document, or the sentence of an error.
    private func run(_ line: [String]) async -> AssistantOutcome {
        let capture = Console.Capture()
        do {
            guard let command = try await Trolley.asyncParseAsRoot(line) as? any DeviceCommand else {
                return .failed("there is no such command")
            }
            try await command.run(on: device, Console(json: true, capture: capture))
            return .document(capture.document)
        } catch is ExitCode {
            return .failed(capture.document)
        } catch let error as any Advised {
            return .failed(error.sentence)
        } catch {
            return .failed(Trolley.message(for: error))
        }
    }

    /// Asks the service for what is new, at most each five seconds. Without a network the lists are as the device knows them.
    private mutating func refresh() async {
        if let asked, ContinuousClock.now - asked < .seconds(5) { return }
        asked = .now
        _ = try? await device.sync(.launch, within: .seconds(2))
    }

    private mutating func lists() async throws(AssistantFailure) -> [ListSummary] {
        await refresh()
        do throws(DeviceError) { return try await device.lists() } catch { throw AssistantFailure(error.sentence) }
    }
}
