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
