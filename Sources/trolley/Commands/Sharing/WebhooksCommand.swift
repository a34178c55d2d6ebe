import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WebhooksCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Show the account's webhooks, or add or remove one.",
        discussion: """
            The service posts the account's summaries to a webhook, such as a chat bot's or a home automation's: one message \
            for each summary, and for lists that 'trolley notify all' is set for also for messages and added items. Messages \
            say that a list has changed, and with --content who did what, as counts. The answer of 'add' has the secret \
            that signs the messages (Standard Webhooks); it is shown only once.

            Example:
              trolley webhooks
              trolley webhooks add https://hooks.example.com/trolley --content
              trolley webhooks remove https://hooks.example.com/trolley
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case add, remove
    }

    @Argument(help: "add or remove. Without it, the webhooks are shown.")
    var action: Action?

    @Argument(help: "The https address to add; or to remove, also by its id.")
    var webhook: String?

    @Flag(help: "Say who did what, as counts.")
    var content = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if action != nil, webhook == nil {
            throw ValidationError("Name the webhook: its address, or its id to remove it.")
        }
        if content, action != .add { throw ValidationError("--content goes with 'add'.") }
        guard action == .add, let webhook else { return }
        guard webhook.hasPrefix("https://") || webhook.hasPrefix("http://") else {
            throw ValidationError("The address of a webhook begins with https://.")
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        switch (action, webhook) {
        case (.add, let url?):
            let made = try await device.notifications.createWebhook(url: url, content: content)
            console.say("Messages go to \(made.url). Verify them by this secret, which is shown only now:")
            console.say(made.secret ?? "")
            answer([made], console)
        case (.remove, let name?):
            let webhooks = try await device.notifications.webhooks()
            guard let found = webhooks.first(where: { $0.id.description == name.lowercased() || $0.url == name }) else {
                throw CommandError.noSuchWebhook(name)
            }
            try await device.notifications.deleteWebhook(found.id)
            console.say("No more messages go to \(found.url).")
            answer(webhooks.filter { $0.id != found.id }, console)
        default:
            let webhooks = try await device.notifications.webhooks()
            if webhooks.isEmpty { console.say("There are no webhooks.") }
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
            id.description, url, content ? "with content" : "without content",
            failing ? "the last message failed" : "since \(createdAt.words)",
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
