import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

// The errors of the SDK in German, by case. A reason that the SDK has only as an English text is quoted as such, or left out
// where it says nothing more.

extension DeviceError {
    var german: String {
        switch self {
        case .store(let error): error.german
        case .transport(let error): error.german
        case .notSignedIn: SyncFailure.notSignedIn.german
        case .signedIn(let email): "\(email) ist auf diesem Gerät angemeldet."
        case .notAnAddress: "Das ist keine Adresse eines Dienstes. Sie sieht so aus: http://localhost:8080"
        case .insecureAddress(let server):
            "\(server) ist ohne TLS: Andere im Netz könnten das Passwort und die Listen lesen. Nimm die Adresse mit https."
        case .unreadableCertificates(let file, _):
            "Die Zertifikate in \(file) lassen sich nicht lesen. Gibt es die Datei, und darfst du sie lesen?"
        case .notCertificates(let file): "In \(file) sind keine Zertifikate (PEM)."
        case .notAnEmailAddress(let text): "„\(text)“ ist keine E-Mail-Adresse. Sie sieht so aus: anna@example.com"
        case .notAnInvitation: "Das ist keine Einladung. Sie sieht so aus: http://localhost:8080/join#SECRET"
        case .invitationOfAnotherService(let server):
            "Die Einladung ist für den Dienst unter \(server), und dieses Gerät ist anderswo angemeldet."
        case .unusableText(let reason): "Der Text geht nicht: \(Self.german(reason: reason))."
        case .readOnly:
            "Du darfst diese Liste ansehen, aber nicht ändern. Frag die Person, der sie gehört, ob du sie ändern darfst."
        case .ownerCannotLeave: "Die Liste gehört dir."
        case .onlyOwnerDeletes: "Löschen kann die Liste nur die Person, der sie gehört."
        case .onlyOwnerShares:
            "Teilen kann die Liste nur die Person, der sie gehört. Bitte sie, noch jemanden einzuladen."
        case .notInStep(let failure):
            "Die Liste ist nicht auf dem Stand des Dienstes, darum blieb sie, wie sie ist. Versuche es noch einmal. "
                + failure.german
        case .notPublished(let failure):
            "Die Liste ist noch nicht beim Dienst, darum kann niemand mitmachen."
                + (failure.map { " \($0.german)" } ?? "")
        case .noStateThen(isOffline: false): "Damals gab es die Liste noch nicht. Sie bleibt, wie sie ist."
        case .noStateThen(isOffline: true):
            "Dieses Gerät weiß nichts von der Liste von damals. Sie bleibt, wie sie ist."
        case .noSuchChange(let number, let last):
            "Die Liste hat keine Änderung \(number); die letzte ist \(last)."
        case .tripIsOver(_, let items):
            "Die letzte Änderung hat etwas bei einem Einkauf abgehakt, der vorbei ist (\(Noun.item.counted(items))). Es "
                + "bleibt abgehakt."
        }
    }
}

extension DeviceError {
    /// Why a list can't contain a text.
    private static let reasons = [
        Template("it contains a NUL character", "Er enthält ein NUL-Zeichen"),
        Template(
            "an entry's fields may have at most {} bytes; these have {}",
            "Er ist zu lang. Alle Felder zusammen haben höchstens {} Bytes, diese haben {}"),
        Template(
            "an entry may have at most {} fields; this one has {}",
            "Es sind zu viele Felder. Höchstens {} gehen, dies sind {}"),
        Template("an item can't be without a text", "Ein Eintrag braucht einen Text"),
        Template("a message can't be without a text", "Eine Nachricht braucht einen Text"),
        Template("a reaction has 1 to {} bytes", "Eine Reaktion hat 1 bis {} Bytes"),
        Template("a shop needs a name", "Ein Laden braucht einen Namen"),
        Template("a shop's name is one line", "Der Name eines Ladens ist eine Zeile"),
    ]

    private static func german(reason: String) -> String {
        reasons.lazy.compactMap { $0.german(of: reason) }.first ?? "Der Grund, auf Englisch: \(reason)"
    }
}

extension QueueStoreError {
    var german: String {
        switch self {
        case .noSuchList(let list): "Auf diesem Gerät gibt es keine Liste \(list)."
        case .unreadable(let reason):
            "Die Dateien dieses Geräts lassen sich nicht lesen. Der Grund, auf Englisch: \(reason)."
        case .busy: "Ein anderes Programm benutzt gerade die Dateien dieses Geräts. Versuche es noch einmal."
        case .failed(let reason):
            "Die Dateien dieses Geräts lassen sich nicht benutzen. Der Grund, auf Englisch: \(reason)."
        }
    }
}

extension TransportError {
    var words: String { localized(description, de: german) }

    var german: String {
        switch self {
        case .unreachable(let reason): "Der Dienst ist nicht zu erreichen\(Self.german(reason: reason))."
        case .problem(let problem): problem.german
        case .notUnderstood(let reason):
            "Die Antwort war nicht zu verstehen (auf Englisch: \(reason)). Ist das die Adresse eines Dienstes von Trolley?"
        }
    }

    private static func german(reason: String) -> String {
        switch ConnectionFault(rawValue: reason) {
        case .timeout: ": Es hat zu lange gedauert"
        case .connectTimeout: ": Die Verbindung kam nicht rechtzeitig zustande"
        case .answerTimeout: ": Die Antwort kam nicht rechtzeitig"
        case .cut: ": Die Verbindung ist abgebrochen"
        case .refused: ": Die Verbindung wurde abgewiesen"
        case .notSecure: ": Eine sichere Verbindung war nicht möglich"
        case .noConnection: ": Es kam keine Verbindung zustande"
        // What is wrong with a certificate has too many parts for a case of its own.
        case nil: ". Der Grund, auf Englisch: \(reason)"
        }
    }
}
