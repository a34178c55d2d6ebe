import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WebhooksCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "webhooks",
            abstract: localized(
                "Show the account's webhooks, or add or remove one.",
                de: "Die Webhooks des Kontos zeigen, oder einen hinzufügen oder entfernen."),
            discussion: discussion(
                """
                The service posts the account's summaries to a webhook, such as a chat bot's or a home automation's: one message \
                for each summary, and for lists that 'trolley notify all' is set for also for messages and added items. Messages \
                say that a list has changed, and with --content who did what, as counts. The answer of 'add' has the secret \
                that signs the messages (Standard Webhooks); it is shown only once.
                """,
                de: """
                    Der Dienst schickt die Zusammenfassungen des Kontos an einen Webhook, etwa von einem Chatbot oder einer \
                    Hausautomation: eine Mitteilung je Zusammenfassung, und bei Listen mit „trolley notify all“ auch für \
                    Nachrichten und neue Einträge. Sie sagen, dass sich eine Liste geändert hat, und mit --content, wer was \
                    getan hat, in Zahlen. Die Antwort von „add“ enthält das Geheimnis, mit dem die Mitteilungen unterschrieben \
                    sind (Standard Webhooks); es wird nur einmal gezeigt.
                    """,
                examples: """
                    trolley webhooks
                    trolley webhooks add https://hooks.example.com/trolley --content
                    trolley webhooks remove https://hooks.example.com/trolley
                    """))
    }

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case add, remove
    }

    @Argument(
        help: .localized(
            "add or remove. Without it, the webhooks are shown.",
            de: "add oder remove. Ohne Angabe werden die Webhooks gezeigt."))
    var action: Action?

    @Argument(
        help: .localized(
            "The https address to add; or to remove, also by its id.",
            de: "Die https-Adresse, die hinzukommt; zum Entfernen auch die Kennung."))
    var webhook: String?

    @Flag(help: .localized("Say who did what, as counts.", de: "Sagen, wer was getan hat, in Zahlen."))
    var content = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if action != nil, webhook == nil {
            throw ValidationError(
                localized(
                    "Name the webhook: its address, or its id to remove it.",
                    de: "Nenne den Webhook: seine Adresse, oder zum Entfernen seine Kennung."))
        }
        if content, action != .add {
            throw ValidationError(localized("--content goes with 'add'.", de: "--content gehört zu „add“."))
        }
        guard action == .add, let webhook else { return }
        guard webhook.hasPrefix("https://") || webhook.hasPrefix("http://") else {
            throw ValidationError(
                localized(
                    "The address of a webhook begins with https://.",
                    de: "Die Adresse eines Webhooks beginnt mit https://."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        switch (action, webhook) {
        case (.add, let url?):
            let made = try await device.notifications.createWebhook(url: url, content: content)
            console.say(
                localized(
                    "Messages go to \(made.url). Verify them by this secret, which is shown only now:",
                    de: "Mitteilungen gehen an \(made.url). Prüfe sie mit diesem Geheimnis, das nur jetzt zu sehen ist:"
                ))
            console.say(made.secret ?? "")
            answer([made], console)
        case (.remove, let name?):
            let webhooks = try await device.notifications.webhooks()
            guard let found = webhooks.first(where: { $0.id.description == name.lowercased() || $0.url == name }) else {
                throw CommandError.noSuchWebhook(name)
            }
            try await device.notifications.deleteWebhook(found.id)
            console.say(localized("No more messages go to \(found.url).", de: "An \(found.url) geht nichts mehr."))
            answer(webhooks.filter { $0.id != found.id }, console)
        default:
            let webhooks = try await device.notifications.webhooks()
            if webhooks.isEmpty { console.say(localized("There are no webhooks.", de: "Es gibt keine Webhooks.")) }
            let table = Table(webhooks.map(\.cells), shrinkableColumn: 1)
            for line in table.lines(width: Terminal.size.columns) { console.say(line) }
            answer(webhooks, console)
        }
    }

    private func answer(_ webhooks: [WebhookResponse], _ console: Console) {
        console.answer { writer in
            writer.key("webhooks")
            writer.array { writer in
                for webhook in webhooks { writer.object { webhook.write(to: &$0) } }
            }
        }
    }
}

extension WebhookResponse {
    fileprivate var cells: [String] {
        [
            id.description, url,
            content ? localized("with content", de: "mit Inhalt") : localized("without content", de: "ohne Inhalt"),
            failing
                ? localized("the last message failed", de: "die letzte Mitteilung ging nicht")
                : localized("since \(createdAt.words)", de: "seit \(createdAt.words)"),
        ]
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("url", url)
        writer.member("content", content)
        writer.member("createdAt", createdAt.description)
        writer.member("failing", failing)
        writer.member("secret", ifAny: secret)
    }
}
