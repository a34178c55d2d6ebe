import ArgumentParser
import TrolleyClient

struct MCPCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let an assistant read and change the lists, by the Model Context Protocol.",
        discussion: """
            Reads requests from standard input and writes answers to standard output, a line each, until the input ends. The \
            assistant may do what this device's person may: read the lists, add, mark off and change items, and undo. Give it a \
            device of its own: 'undo' then takes back what it did and not what you did, and signing that device out ends it.

            Example:
              trolley mcp    # what the assistant's program starts, with TROLLEY_HOME=~/.trolley-assistant
              TROLLEY_HOME=~/.trolley-assistant trolley sign-in https://trolley.example.com --email ann@example.com \\
                  --device-name "Ann's assistant"
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        var server = AssistantServer(device: device)
        while let line = readLine() {
            guard !line.isEmpty, let answer = await server.answer(to: line) else { continue }
            Terminal.print(json: answer)
        }
    }
}
