import ArgumentParser
import TrolleyClient

struct MCPCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "mcp",
            abstract: localized(
                "Let an assistant read and change the lists, by the Model Context Protocol.",
                de: "Einen Assistenten die Listen lesen und ändern lassen, mit dem Model Context Protocol."),
            discussion: discussion(
                """
                Reads requests from standard input and writes answers to standard output, a line each, until the input ends. The \
                assistant may do what this device's person may: read the lists, add, mark off and change items, and undo. Give it a \
                device of its own: 'undo' then takes back what it did and not what you did, and signing that device out ends it.
                """,
                de: """
                    Liest Anfragen von der Standardeingabe und schreibt Antworten auf die Standardausgabe, je eine Zeile, bis \
                    die Eingabe endet. Der Assistent darf, was die Person an diesem Gerät darf: die Listen lesen, Einträge \
                    hinzufügen, abhaken und ändern, und rückgängig machen. Gib ihm ein eigenes Gerät: „undo“ nimmt dann \
                    zurück, was er getan hat und nicht du, und ihn abzumelden beendet alles.
                    """,
                examples: """
                    trolley mcp    # \(localized("what the assistant's program starts, with", de: "das startet das Programm des Assistenten, mit")) TROLLEY_HOME=~/.trolley-assistant
                    TROLLEY_HOME=~/.trolley-assistant trolley sign-in https://trolley.example.com --email ann@example.com \\
                        --device-name "Ann's assistant"
                    """))
    }

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        // A program reads the answers.
        await MessageLanguage.$current.withValue(.english) {
            var server = AssistantServer(device: device)
            while let line = readLine() {
                guard !line.isEmpty, let answer = await server.answer(to: line) else { continue }
                Terminal.print(json: answer)
            }
        }
    }
}
