import FoundationEssentials
import TrolleyStore

/// A plain-text message to one person.
struct MailMessage: Sendable {
    let recipient: EmailAddress
    let subject: String
    let body: String

    /// - Returns: nil when the address is not a dot-atom (RFC 5322). Mail programs could read other forms as several
    ///   addresses.
    init?(to recipient: EmailAddress, subject: String, body: String) {
        let parts = recipient.text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isDotted(parts[0], of: Self.atoms), Self.isDotted(parts[1], of: Self.labels) else {
            return nil
        }
        self.recipient = recipient
        self.subject = subject
        self.body = body
    }

    private static let labels = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-".utf8)
    private static let atoms = labels.union("!#$%&'*+/=?^_`{|}~".utf8)

    /// Whether a text consists of words of these characters, separated by dots.
    private static func isDotted(_ text: Substring, of characters: Set<UInt8>) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(characters.contains) }
    }

    /// The message in the form for the program's standard input.
    func text(from sender: String?) -> String {
        var lines = ["To: \(recipient.text)"]
        if let sender { lines.append("From: \(sender)") }
        lines += [
            "Subject: \(subject)", "Date: \(Self.date(Date()))", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit",
            // Suppresses automatic replies (RFC 3834).
            "Auto-Submitted: auto-generated", "", body,
        ]
        return lines.joined(separator: "\n")
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A date in the format of RFC 5322.
    static func date(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        func number(_ part: Int?) -> String {
            let text = String(part ?? 0)
            return text.count < 2 ? "0" + text : text
        }
        let day =
            "\(days[(parts.weekday ?? 1) - 1]), \(parts.day ?? 1) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970)"
        return "\(day) \(number(parts.hour)):\(number(parts.minute)):\(number(parts.second)) +0000"
    }
}

extension MailMessage {
    /// A message with a code that proves that its reader has the address.
    init?(code: String, to recipient: EmailAddress) {
        self.init(
            to: recipient, subject: "Your code for Trolley",
            body: """
                Somebody, probably you, wants to use this address for shopping lists with Trolley. This code shows that it is
                yours:

                    \(code)

                It works once, within an hour. If it wasn't you, do nothing: without the code the address is not used.

                """)
    }
}
