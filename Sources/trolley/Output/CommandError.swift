import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A command's error: what is wrong, and what to do.
enum CommandError: Error {
    /// There is no list. With the notices of lists that have left the device.
    case noList([Notice])
    /// The current list has left the device, and others are there. With its notice.
    case noCurrentList(Notice?)
    /// The list has left the device.
    case left(Notice)
    /// The list with this name is only on this device, so it has no other people.
    case onThisDeviceAlone(String)
    case noSuchList(String)
    /// Several lists match the name.
    case ambiguousList(String, [ListSummary])
    case noSuchItem(String)
    /// Several items match the name.
    case ambiguousItem(String, [ItemCandidate])
    /// The item, by its text, was deleted while the person was shopping.
    case struckItem(String)
    case nothingToAdd
    /// A recipe is wanted for some portions, and doesn't say how many it makes.
    case noPortions
    /// A recipe has no line of this number; how many it has.
    case noSuchLine(Int, of: Int)
    /// The catalogue has no aisle of this name; its aisles, none without a catalogue.
    case noSuchAisle(String, among: [String])
    /// An aisle that is to be renamed, and those that the list has.
    case noSuchAisleOnList(String, among: [String])
    /// A shop that is to be removed, and those that the list has.
    case noSuchShop(String, among: [String])
    /// A list, by its name, is to be copied from itself.
    case sameList(String)
    /// Nothing is wanted on the list, by its name, that is to be copied from.
    case nothingToCopy(String)
    /// The list, by its name, from which a new one is to take its items has none.
    case nothingToTake(String)
    case notUTF8
    case noPassword
    case noNewPassword
    case noSuchDevice(String)
    case noSuchWebhook(String)
    case noSuchToken(String)
    /// Several personal tokens match the name; one line for each.
    case ambiguousToken(String, [String])
    /// Several devices match the name; one line for each.
    case ambiguousDevice(String, [String])
    /// This device; another command signs it out.
    case thisDevice
    case passwordsDiffer
    /// The service has no such account. `hasLists`: whether a new account would take over lists on this device.
    case noAccount(server: String, email: String, hasLists: Bool)
    /// Nothing answers at the https address that an address without a scheme means.
    case noAnswer(address: String, reason: String)
    case afterItself
    case noSuchPerson(String)
    /// Several people match the name; one line for each.
    case ambiguousPerson(String, [String])
    /// The person is only invited, so they can't be given anything yet.
    case notOnTheList(String)
    /// The person already owns the list.
    case isOwner(String)
    case noSuchInvitation(String)
    case notConfirmed
    /// The person did not confirm the restoration.
    case notPutBack
    /// The place where a page of the Activity was to begin is invalid.
    case noSuchPage(String)
    case noSuchMessage(String)
    /// Several messages match the name; how many.
    case ambiguousMessage(String, Int)
    /// A message of somebody else on somebody else's list, by its text.
    case othersMessage(String)
    case noSuchTrip(String)
    /// The number, and how many picks the trip has.
    case noSuchPick(Int, of: Int)
    /// Several trips have the date; one line for each.
    case ambiguousTrip(String, [String])
    /// A file can't be used, and the reason.
    case badFile(String, String)
}

extension CommandError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noList([]): "There is no list on this device yet. Make one: trolley new 'Weekly shop'"
        case .noList(let left):
            left.map(\.sentence).joined(separator: "\n")
                + "\nThere is no list here. Make one: trolley new 'Weekly shop'"
        case .noCurrentList(let notice):
            (notice.map { $0.sentence + "\n" } ?? "")
                + "No list is the current one. Choose one: trolley use NAME. See them: trolley lists"
        case .left(let notice): notice.sentence
        case .onThisDeviceAlone(let name): "'\(name)' is on this device alone. To put it on the service: trolley share"
        case .noSuchList(let name): "There is no list '\(name)' here. See them: trolley lists"
        case .ambiguousList(let name, let candidates):
            "Several lists fit '\(name)'. Name one by its id:\n"
                + Self.abbreviatedList(
                    candidates.map { "  \($0.id)  \($0.name ?? "")\($0.owner.map { ", \($0.displayName)'s" } ?? "")" })
        case .noSuchItem(let name): "There is no item '\(name)' on the list. See them: trolley show"
        case .ambiguousItem(let name, let candidates):
            "Several items fit '\(name)'. Name one by its position:\n" + Self.abbreviatedList(candidates.map(\.line))
        case .struckItem(let text):
            "'\(text)' was deleted while you were shopping. To add it again: trolley add. To remove such rows: trolley apply"
        case .sameList(let name): "Both are '\(name)'. Name another list: --from NAME. See them: trolley lists"
        case .nothingToCopy(let name):
            "There is no wanted item on '\(name)'. To copy marked-off items, name them: trolley copy --from LIST ITEM"
        case .nothingToTake(let name): "There is no item on '\(name)' to begin with. Nothing was made."
        case .nothingToAdd: "There is nothing to add: all lines are blank."
        case .noPortions:
            "The recipe doesn't say how many portions it makes. Say so: --makes NUMBER. Or add it as it is, without --portions."
        case .noSuchLine(let number, let count):
            "The recipe has no line \(number), only \(count). To see them: trolley add --recipe FILE --dry-run"
        case .noSuchAisle(_, []): "There is no catalogue: give a language, as in --language en."
        case .noSuchAisle(let name, let aisles): "The catalogue has no aisle '\(name)'. It has: \(aisles.inWords)."
        case .noSuchAisleOnList(_, []): "No item of the list has an aisle yet: trolley edit milk --aisle Dairy"
        case .noSuchAisleOnList(let name, let aisles): "The list has no aisle '\(name)'. It has: \(aisles.inWords)."
        case .noSuchShop(_, []): "The list has no shops: trolley shops --add 'Corner shop'"
        case .noSuchShop(let name, let shops): "The list has no shop '\(name)'. It has: \(shops.inWords)."
        case .notUTF8: "The input is not UTF-8 text."
        case .noPassword: "A password is needed: set TROLLEY_PASSWORD, or run this in a terminal to be asked for it."
        case .noAccount(let server, let email, let hasLists):
            "No account at \(server) has the email \(email) and this password."
                + (hasLists
                    ? """
                     If the service has lost your account, since it was restored from a backup or emptied, sign up again. \
                    Your lists on this device go along: trolley sign-up \(server) --email \(email) --name NAME
                    """ : "")
        case .noAnswer(let address, let reason):
            TransportError.unreachable(reason).description
                + " An address without a scheme means https://\(address). If the service has no TLS and you trust the "
                + "network: --insecure"
        case .noNewPassword:
            "A new password is needed: set TROLLEY_NEW_PASSWORD, or run this in a terminal to be asked for it."
        case .noSuchDevice(let name): "The account has no device '\(name)'. See them: trolley devices"
        case .noSuchWebhook(let name): "The account has no webhook '\(name)'. See them: trolley webhooks"
        case .noSuchToken(let name): "The account has no personal token '\(name)'. See them: trolley tokens"
        case .ambiguousToken(let name, let candidates):
            "Several personal tokens are called '\(name)'. Name one by its id:\n" + Self.abbreviatedList(candidates)
        case .ambiguousDevice(let name, let candidates):
            "Several devices are called '\(name)'. Name one by its id:\n" + Self.abbreviatedList(candidates)
        case .thisDevice: "That is this device. To sign it out: trolley sign-out"
        case .passwordsDiffer: "The two passwords differ. Nothing was done."
        case .noSuchPerson(let name):
            "The list has no participant '\(name)'. See them: trolley participants"
        case .ambiguousPerson(let name, let candidates):
            "Several people fit '\(name)'. Name one by their email:\n" + Self.abbreviatedList(candidates)
        case .isOwner(let name): "\(name) owns the list already."
        case .notOnTheList(let name): "\(name) is invited, but has not joined yet."
        case .noSuchInvitation(let name): "The list has no open invitation '\(name)'. See them: trolley invitations"
        case .notConfirmed: "Nothing was deleted. To delete the account without being asked: --yes"
        case .notPutBack: "Nothing was changed. To put the list back without being asked: --yes"
        case .noSuchPage(let text):
            "'\(text)' is not, or no longer, a place in this list's Activity. Begin with: trolley activity\n"
                + "Its last line gives the value for --before."
        case .noSuchMessage(let name): "There is no message '\(name)' on the list. See them: trolley messages"
        case .ambiguousMessage(let name, let count):
            "\(count) messages fit '\(name)'. Name one by its number. See them: trolley messages"
        case .othersMessage(let text):
            "'\(text.inOneLine)' is somebody else's: only they and the list's owner can delete it."
        case .noSuchTrip(let name): "There is no trip '\(name)' of this list. See them: trolley trips"
        case .noSuchPick(let number, let count): "The trip has no pick \(number): --at is from 1 to \(count)."
        case .ambiguousTrip(let date, let candidates):
            "There were several trips on \(date). Name one by its number:\n" + Self.abbreviatedList(candidates)
        case .badFile(let file, let why): "\(file): \(why)."
        case .afterItself: "An item can't follow itself."
        }
    }
}

extension CommandError {
    /// The first eight lines, and the number of the rest.
    static func abbreviatedList(_ lines: [String]) -> String {
        let shown = lines.prefix(8)
        let more = lines.count > shown.count ? ["  … and \(lines.count - shown.count) more"] : []
        return (shown + more).joined(separator: "\n")
    }
}

extension Notice {
    var sentence: String { "'\(listName ?? list.description)' left this device. \(reason.sentence)" }
}
