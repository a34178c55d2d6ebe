import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension CommandError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noList([]):
            localized(
                "There is no list on this device yet. Make one: trolley new 'Weekly shop'",
                de: "Auf diesem Gerät gibt es noch keine Liste. Lege eine an: trolley new Wocheneinkauf")
        case .noList(let left):
            left.map(\.sentence).joined(separator: "\n")
                + "\n"
                + localized(
                    "There is no list here. Make one: trolley new 'Weekly shop'",
                    de: "Hier gibt es keine Liste. Lege eine an: trolley new Wocheneinkauf")
        case .noCurrentList(let notice):
            (notice.map { $0.sentence + "\n" } ?? "")
                + localized(
                    "No list is the current one. Choose one: trolley use NAME. See them: trolley lists",
                    de: "Keine Liste ist die aktuelle. Wähle eine: trolley use NAME. Alle zeigen: trolley lists")
        case .left(let notice): notice.sentence
        case .onThisDeviceAlone(let name):
            localized(
                "'\(name)' is on this device alone. To put it on the service: trolley share",
                de: "„\(name)“ ist nur auf diesem Gerät. Um sie zum Dienst zu bringen: trolley share")
        case .noSuchList(let name):
            localized(
                "There is no list '\(name)' here. See them: trolley lists",
                de: "Eine Liste „\(name)“ gibt es hier nicht. Alle zeigen: trolley lists")
        case .ambiguousList(let name, let candidates):
            localized(
                "Several lists fit '\(name)'. Name one by its id:",
                de: "Mehrere Listen passen zu „\(name)“. Nenne eine mit ihrer Kennung:") + "\n"
                + Self.abbreviatedList(candidates.map { "  \($0.id)  \($0.name ?? "")\(Self.owner(of: $0))" })
        case .noSuchItem(let name):
            localized(
                "There is no item '\(name)' on the list. See them: trolley show",
                de: "Einen Eintrag „\(name)“ gibt es auf der Liste nicht. Alle zeigen: trolley show")
        case .ambiguousItem(let name, let candidates):
            localized(
                "Several items fit '\(name)'. Name one by its position:",
                de: "Mehrere Einträge passen zu „\(name)“. Nenne einen mit seiner Nummer:") + "\n"
                + Self.abbreviatedList(candidates.map(\.line))
        case .struckItem(let text):
            localized(
                "'\(text)' was deleted while you were shopping. To add it again: trolley add. To remove such rows: trolley apply",
                de: """
                    „\(text)“ wurde gelöscht, während du eingekauft hast. Um es wieder hinzuzufügen: trolley add. Um solche \
                    Zeilen zu entfernen: trolley apply
                    """)
        case .sameList(let name):
            localized(
                "Both are '\(name)'. Name another list: --from NAME. See them: trolley lists",
                de: "Beide sind „\(name)“. Nenne eine andere Liste: --from NAME. Alle zeigen: trolley lists")
        case .nothingToCopy(let name):
            localized(
                "There is no wanted item on '\(name)'. To copy marked-off items, name them: trolley copy --from LIST ITEM",
                de: """
                    Auf „\(name)“ ist nichts zu besorgen. Um Abgehaktes zu kopieren, nenne es: trolley copy --from LISTE EINTRAG
                    """)
        case .nothingToTake(let name):
            localized(
                "There is no item on '\(name)' to begin with. Nothing was made.",
                de: "Auf „\(name)“ ist nichts, womit sich anfangen ließe. Keine Liste wurde angelegt.")
        case .nothingToAdd:
            localized(
                "There is nothing to add: all lines are blank.",
                de: "Es gibt nichts hinzuzufügen: Alle Zeilen sind leer.")
        case .noPortions:
            localized(
                "The recipe doesn't say how many portions it makes. Say so: --makes NUMBER. Or add it as it is, without --portions.",
                de: """
                    Das Rezept sagt nicht, wie viele Portionen es ergibt. Sag es: --makes ZAHL. Oder füge es hinzu, wie es ist, \
                    ohne --portions.
                    """)
        case .noSuchLine(let number, let count):
            localized(
                "The recipe has no line \(number), only \(count). To see them: trolley add --recipe FILE --dry-run",
                de: """
                    Das Rezept hat keine Zeile \(number), nur \(count). Um sie zu sehen: trolley add --recipe DATEI --dry-run
                    """)
        case .noSuchAisle(_, []):
            localized(
                "There is no catalogue: give a language, as in --language en.",
                de: "Es gibt keinen Katalog: Gib eine Sprache an, wie mit --language de.")
        case .noSuchAisle(let name, let aisles):
            localized(
                "The catalogue has no aisle '\(name)'. It has: \(aisles.inWords).",
                de: "Der Katalog hat kein Regal „\(name)“. Er hat: \(aisles.inWords).")
        case .noSuchAisleOnList(_, []):
            localized(
                "No item of the list has an aisle yet: trolley edit milk --aisle Dairy",
                de: "Noch hat auf der Liste nichts ein Regal: trolley edit Milch --aisle Milchprodukte")
        case .noSuchAisleOnList(let name, let aisles):
            localized(
                "The list has no aisle '\(name)'. It has: \(aisles.inWords).",
                de: "Die Liste hat kein Regal „\(name)“. Sie hat: \(aisles.inWords).")
        case .noSuchShop(_, []):
            localized(
                "The list has no shops: trolley shops --add 'Corner shop'",
                de: "Die Liste hat keine Läden: trolley shops --add Hofladen")
        case .noSuchShop(let name, let shops):
            localized(
                "The list has no shop '\(name)'. It has: \(shops.inWords).",
                de: "Die Liste hat keinen Laden „\(name)“. Sie hat: \(shops.inWords).")
        case .notUTF8: localized("The input is not UTF-8 text.", de: "Die Eingabe ist kein Text in UTF-8.")
        case .noPassword:
            localized(
                "A password is needed: set TROLLEY_PASSWORD, or run this in a terminal to be asked for it.",
                de: """
                    Es fehlt ein Passwort: Setze TROLLEY_PASSWORD, oder starte den Befehl in einem Terminal, um gefragt zu \
                    werden.
                    """)
        case .noAccount(let server, let email, let hasLists):
            localized(
                "No account at \(server) has the email \(email) and this password.",
                de: "Bei \(server) gibt es kein Konto mit der E-Mail-Adresse \(email) und diesem Passwort.")
                + (hasLists
                    ? " "
                        + localized(
                            """
                            If the service has lost your account, since it was restored from a backup or emptied, sign up \
                            again. Your lists on this device go along: trolley sign-up \(server) --email \(email) --name NAME
                            """,
                            de: """
                                Wenn der Dienst dein Konto verloren hat, weil er aus einer Sicherung kam oder geleert wurde, lege \
                                es neu an. Deine Listen auf diesem Gerät kommen mit: \
                                trolley sign-up \(server) --email \(email) --name NAME
                                """) : "")
        case .noAnswer(let address, let reason):
            TransportError.unreachable(reason).words + " "
                + localized(
                    """
                    An address without a scheme means https://\(address). If the service has no TLS and you trust the \
                    network: --insecure
                    """,
                    de: """
                        Eine Adresse ohne Schema bedeutet https://\(address). Wenn der Dienst kein TLS hat und du dem Netz \
                        traust: --insecure
                        """)
        case .noNewPassword:
            localized(
                "A new password is needed: set TROLLEY_NEW_PASSWORD, or run this in a terminal to be asked for it.",
                de: """
                    Es fehlt ein neues Passwort: Setze TROLLEY_NEW_PASSWORD, oder starte den Befehl in einem Terminal, um \
                    gefragt zu werden.
                    """)
        case .noSuchDevice(let name):
            localized(
                "The account has no device '\(name)'. See them: trolley devices",
                de: "Das Konto hat kein Gerät „\(name)“. Alle zeigen: trolley devices")
        case .noSuchWebhook(let name):
            localized(
                "The account has no webhook '\(name)'. See them: trolley webhooks",
                de: "Das Konto hat keinen Webhook „\(name)“. Alle zeigen: trolley webhooks")
        case .noSuchToken(let name):
            localized(
                "The account has no personal token '\(name)'. See them: trolley tokens",
                de: "Das Konto hat keinen Schlüssel „\(name)“. Alle zeigen: trolley tokens")
        case .ambiguousToken(let name, let candidates):
            localized(
                "Several personal tokens are called '\(name)'. Name one by its id:",
                de: "Mehrere Schlüssel heißen „\(name)“. Nenne einen mit seiner Kennung:") + "\n"
                + Self.abbreviatedList(candidates)
        case .ambiguousDevice(let name, let candidates):
            localized(
                "Several devices are called '\(name)'. Name one by its id:",
                de: "Mehrere Geräte heißen „\(name)“. Nenne eines mit seiner Kennung:") + "\n"
                + Self.abbreviatedList(candidates)
        case .thisDevice:
            localized(
                "That is this device. To sign it out: trolley sign-out",
                de: "Das ist dieses Gerät. Um es abzumelden: trolley sign-out")
        case .passwordsDiffer:
            localized(
                "The two passwords differ. Nothing was done.",
                de: "Die beiden Passwörter sind verschieden. Nichts ist passiert.")
        case .noSuchPerson(let name):
            localized(
                "The list has no participant '\(name)'. See them: trolley participants",
                de: "Auf der Liste ist niemand mit dem Namen „\(name)“. Alle zeigen: trolley participants")
        case .ambiguousPerson(let name, let candidates):
            localized(
                "Several people fit '\(name)'. Name one by their email:",
                de: "Mehrere Leute passen zu „\(name)“. Nenne jemanden mit der E-Mail-Adresse:") + "\n"
                + Self.abbreviatedList(candidates)
        case .isOwner(let name): localized("\(name) owns the list already.", de: "Die Liste gehört \(name) schon.")
        case .notOnTheList(let name):
            localized(
                "\(name) is invited, but has not joined yet.", de: "\(name) ist eingeladen, macht aber noch nicht mit.")
        case .noSuchInvitation(let name):
            localized(
                "The list has no open invitation '\(name)'. See them: trolley invitations",
                de: "Die Liste hat keine offene Einladung „\(name)“. Alle zeigen: trolley invitations")
        case .notConfirmed:
            localized(
                "Nothing was deleted. To delete the account without being asked: --yes",
                de: "Nichts wurde gelöscht. Um das Konto ohne Nachfrage zu löschen: --yes")
        case .notPutBack:
            localized(
                "Nothing was changed. To put the list back without being asked: --yes",
                de: "Nichts wurde geändert. Um die Liste ohne Nachfrage zurückzusetzen: --yes")
        case .noSuchPage(let text):
            localized(
                """
                '\(text)' is not, or no longer, a place in this list's Activity. Begin with: trolley activity
                Its last line gives the value for --before.
                """,
                de: """
                    „\(text)“ ist keine Stelle im Verlauf dieser Liste, oder nicht mehr. Fang an mit: trolley activity
                    Die letzte Zeile nennt den Wert für --before.
                    """)
        case .noSuchMessage(let name):
            localized(
                "There is no message '\(name)' on the list. See them: trolley messages",
                de: "Eine Nachricht „\(name)“ gibt es auf der Liste nicht. Alle zeigen: trolley messages")
        case .ambiguousMessage(let name, let count):
            localized(
                "\(count) messages fit '\(name)'. Name one by its number. See them: trolley messages",
                de: """
                    \(count) Nachrichten passen zu „\(name)“. Nenne eine mit ihrer Nummer. Alle zeigen: trolley messages
                    """)
        case .othersMessage(let text):
            localized(
                "'\(text.inOneLine)' is somebody else's: only they and the list's owner can delete it.",
                de: """
                    „\(text.inOneLine)“ ist von jemand anderem: Löschen können das nur diese Person und die, der die Liste \
                    gehört.
                    """)
        case .noSuchTrip(let name):
            localized(
                "There is no trip '\(name)' of this list. See them: trolley trips",
                de: """
                    Einen Einkauf „\(CalendarDate.words(name))“ gibt es bei dieser Liste nicht. Alle zeigen: trolley trips
                    """)
        case .noSuchPick(let number, let count):
            localized(
                "The trip has no pick \(number): --at is from 1 to \(count).",
                de: "Der Einkauf hat keinen Haken \(number): --at geht von 1 bis \(count).")
        case .ambiguousTrip(let date, let candidates):
            localized(
                "There were several trips on \(date). Name one by its number:",
                de: "Am \(CalendarDate.words(date)) gab es mehrere Einkäufe. Nenne einen mit seiner Nummer:") + "\n"
                + Self.abbreviatedList(candidates)
        case .badFile(let file, let why): "\(file): \(why)."
        case .afterItself:
            localized("An item can't follow itself.", de: "Ein Eintrag kann nicht hinter sich selbst stehen.")
        }
    }
}

extension CommandError {
    /// Whose the list is, to follow its name: ", Anna's".
    private static func owner(of list: ListSummary) -> String {
        guard let owner = list.owner?.displayName else { return "" }
        return localized(", \(owner)'s", de: ", gehört \(owner)")
    }

    /// The first eight lines, and the number of the rest.
    static func abbreviatedList(_ lines: [String]) -> String {
        let shown = lines.prefix(8)
        let more =
            lines.count > shown.count
            ? [
                localized(
                    "  … and \(lines.count - shown.count) more", de: "  … und \(lines.count - shown.count) weitere")
            ] : []
        return (shown + more).joined(separator: "\n")
    }
}
