import ArgumentParser
import FoundationEssentials
import NIOCore
import NIOHTTP1
import TrolleyJournal
import TrolleyWire

/// A service's protocol for changes and for hints. A list is named by its number in the fixture.
protocol Dialect: Sendable {
    /// The request that opens the stream of a list's reader.
    func stream(of list: Int) -> HTTPCall
    /// The request to send after `event`, before the stream sends changes.
    func subscription(of list: Int, after event: ServerEvent) throws -> HTTPCall?
    /// Whether the stream tells of changes from this event on.
    func begins(with event: ServerEvent) -> Bool
    /// The list's change number `place`.
    func upload(to list: Int, place: Int) -> HTTPCall
    /// Whether the service numbers the changes; otherwise the load does, from 1.
    var givesPlaces: Bool { get }
    /// The place that the answer to an upload says.
    func place(in answer: HTTPAnswer) -> Int?
    /// Up to which change of the list the event reaches; nil when it is no such event.
    func place(in event: ServerEvent) -> Int?
}

enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case trolley, pocketbase
}

/// Device 2n - 1 writes to list n, device 2n of the same account reads.
struct TrolleyDialect: Dialect {
    func stream(of list: Int) -> HTTPCall {
        HTTPCall(path: Path.events, authorization: "Bearer \(Fixture.token(2 * list))")
    }

    func subscription(of list: Int, after event: ServerEvent) -> HTTPCall? { nil }

    func begins(with event: ServerEvent) -> Bool { event.name == "sync" }

    func upload(to list: Int, place: Int) -> HTTPCall {
        var random = SystemRandomNumberGenerator()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let entry = JournalEntry(
            id: .version7(at: now, random: (random.next(), random.next())), operation: .add,
            item: .version7(at: now, random: (random.next(), random.next())),
            fields: [Fields.text: "semi-skimmed milk"],
            deviceSequence: Int64(place))
        return HTTPCall(
            method: .POST, path: Path.entries(Fixture.list(list)),
            authorization: "Bearer \(Fixture.token(2 * list - 1))",
            body: UploadRequest(entries: [UploadEntry(entry: entry, age: 0)]).json)
    }

    var givesPlaces: Bool { true }

    func place(in answer: HTTPAnswer) -> Int? { Self.number(behind: #""sequence":"#, in: String(buffer: answer.body)) }

    func place(in event: ServerEvent) -> Int? {
        event.name == "changed" ? Self.number(behind: #""sequence":"#, in: event.data) : nil
    }

    static func number(behind key: String, in text: String) -> Int? {
        text.firstRange(of: key).flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
    }
}

/// One user writes and reads; a stream is filtered to its list.
struct PocketBaseDialect: Dialect {
    let token: String

    func stream(of list: Int) -> HTTPCall { HTTPCall(path: "/api/realtime", authorization: token) }

    func subscription(of list: Int, after event: ServerEvent) throws -> HTTPCall? {
        guard event.name == "PB_CONNECT" else { return nil }
        guard let id = event.data.split(separator: "\"").dropFirst(2).first(where: { $0 != ":" }) else {
            throw UnexpectedAnswer("PB_CONNECT without a clientId: \(event.data)")
        }
        let options = #"{"query":{"filter":"list='\#(Fixture.list(list))'"}}"#
        let topic = "entries/*?options=" + Self.percentEncoded(options)
        return HTTPCall(
            method: .POST, path: "/api/realtime", authorization: token,
            body: Array(#"{"clientId":"\#(id)","subscriptions":["\#(topic)"]}"#.utf8))
    }

    func begins(with event: ServerEvent) -> Bool { event.name == "PB_CONNECT" }

    func upload(to list: Int, place: Int) -> HTTPCall {
        HTTPCall(
            method: .POST, path: "/api/collections/entries/records", authorization: token,
            body: Array(
                #"{"list":"\#(Fixture.list(list))","place":\#(place),"operation":"add","text":"semi-skimmed milk"}"#
                    .utf8))
    }

    var givesPlaces: Bool { false }

    func place(in answer: HTTPAnswer) -> Int? { nil }

    func place(in event: ServerEvent) -> Int? { TrolleyDialect.number(behind: #""place":"#, in: event.data) }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

/// Which service, and where.
struct ServiceOptions: ParsableArguments {
    @Option(help: "The port on this machine that the service listens on.")
    var port: Address

    @Option(help: "How the service is spoken to.")
    var dialect = DialectName.trolley

    @Option(help: "PocketBase: what its user's sign-in gave.")
    var token = ""

    var spoken: any Dialect {
        switch dialect {
        case .trolley: TrolleyDialect()
        case .pocketbase: PocketBaseDialect(token: token)
        }
    }
}
