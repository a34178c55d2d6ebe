import ArgumentParser
import Crypto
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TrolleyJournal
import TrolleyWire

/// How long a frame takes from one device in a room to each of the others.
struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say things in rooms at a steady rate, and tell how soon the others hear them.",
        discussion: """
            Room n is on list n, whose owner's devices are in it. With another port, every second device is at the service
            process there.

            Example:
              population rooms --port 8080 --rooms 100 --members 5 --rate 20 --seconds 10
            """)

    @Option(help: "The port on this machine that the service listens on.")
    var port: Address

    @Option(help: "The port of another service process on the same database.")
    var otherPort: Address?

    @Option(help: "Rooms.")
    var rooms = 100

    @Option(help: "Devices in each room.")
    var members = 5

    @Option(help: "Frames a second of each device.")
    var rate = 20

    @Option(help: "How long to say things.")
    var seconds = 10

    /// Characters of a body: those of a sealed frame about an item.
    private static let bodyLength = 200
    /// After the last frame, until everybody has heard it.
    private static let patience = Duration.seconds(5)

    func validate() throws {
        guard rooms > 0, members > 1, rate > 0, seconds > 0 else {
            throw ValidationError("nobody would hear anything: give numbers greater than 0, and at least 2 members")
        }
    }

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let board = HearingBoard(bodyLength: Self.bodyLength)
        let seats = try await open(board, on: group)
        for _ in 0..<600 where board.met < rooms * members * (members - 1) {
            try await Task.sleep(for: .milliseconds(50))
        }
        guard board.met == rooms * members * (members - 1) else {
            throw UnexpectedAnswer("of \(rooms * members * (members - 1)) others \(board.met) were met")
        }
        let interval = TimeAmount.nanoseconds(1_000_000_000 / Int64(rate))
        let frames = rate * seconds
        for seat in seats {
            // Not all in the same moment.
            seat.socket.eventLoop.scheduleRepeatedTask(
                initialDelay: .nanoseconds(.random(in: 0..<interval.nanoseconds)), delay: interval
            ) { task in
                guard board.speak(seat.number, atMost: frames) else { return task.cancel() }
                seat.say(length: Self.bodyLength)
            }
        }
        try await Task.sleep(for: .seconds(seconds) + .milliseconds(500))
        let expected = seats.count * frames * (members - 1)
        let deadline = ContinuousClock.now + Self.patience
        while board.heard < expected, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        print(
            """
            {"sockets":\(seats.count),"lostSockets":\(seats.count { !$0.socket.isOpen }),"sent":\(board.sent),\
            "heard":\(board.heard),"unheard":\(expected - board.heard),"rate":\(Double(board.sent) / Double(seconds)),\
            "latency":\(board.latencies.json)}
            """)
        for seat in seats { await seat.socket.close() }
    }

    private func open(_ board: HearingBoard, on group: any EventLoopGroup) async throws -> [Seat] {
        let connection = try await HTTPConnection(to: port, on: group)
        var seats: [Seat] = []
        for number in 1...rooms {
            let room = BenchmarkRoom(list: number)
            _ = try await connection.success(room.making(by: members * (number - 1) + 1))
            for member in 0..<members {
                let device = members * (number - 1) + 1 + member
                let address = member.isMultiple(of: 2) ? port : otherPort ?? port
                let socket = try await WebSocket(to: address, call: room.entering(as: device), on: group) {
                    board.received($0)
                }
                seats.append(Seat(number: device, socket: socket, room: room.address))
            }
        }
        await connection.close()
        return seats
    }
}

private struct Seat: Sendable {
    /// The device's.
    let number: Int
    let socket: WebSocket
    let room: RoomAddress

    /// Says the present time, and as much besides as is wanted.
    func say(length: Int) {
        let digits = String(NIODeadline.now().uptimeNanoseconds, radix: 16)
        let time = String(repeating: "0", count: 16 - digits.count) + digits
        let body = time + String(repeating: "A", count: length - time.count)
        socket.send(SocketRequest.say(room, body: body).json)
    }
}

/// A room on a list of the fixture, whose people are one account's devices.
private struct BenchmarkRoom {
    let id = RoomID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    let list: Int
    private let handshakeKey = SymmetricKey(size: .bits256)

    init(list: Int) { self.list = list }

    var address: RoomAddress { RoomAddress(id, on: Fixture.list(list)) }

    private var keyText: String { handshakeKey.withUnsafeBytes { Data($0).base64URL } }

    func making(by device: Int) -> HTTPCall {
        HTTPCall(
            method: .POST, path: Path.hails(Fixture.list(list)), authorization: "Bearer \(Fixture.token(device))",
            body: Array(#"{"room":"\#(id)","key":"\#(keyText)","hails":[]}"#.utf8))
    }

    func entering(as device: Int) -> HTTPCall {
        var handshake = RoomHandshake(
            room: id, list: Fixture.list(list), author: Fixture.account(list), device: Fixture.device(device),
            timestamp: Int64(Date().timeIntervalSince1970 * 1000),
            nonce: Data((0..<RoomHandshake.nonceBytes).map { _ in UInt8.random(in: .min ... .max) }).base64URL)
        let code = HMAC<SHA256>.authenticationCode(for: Data(handshake.signedText.utf8), using: handshakeKey)
        handshake.signature = Data(code).base64URL
        return HTTPCall(
            path: "\(Path.roomSocket(id))?\(handshake.query)", authorization: "Bearer \(Fixture.token(device))")
    }
}

extension Data {
    /// RFC 4648 §5, without padding.
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// What was said and heard.
private final class HearingBoard: Sendable {
    private struct State {
        var met = 0
        var spoken: [Int: Int] = [:]
        var sent = 0
        var heard = Latencies()
    }

    private let bodyLength: Int
    private let state = Mutex(State())

    init(bodyLength: Int) { self.bodyLength = bodyLength }

    /// - Returns: false when the device has said all that it shall say.
    func speak(_ device: Int, atMost frames: Int) -> Bool {
        state.withLock { state in
            guard state.spoken[device, default: 0] < frames else { return false }
            state.spoken[device, default: 0] += 1
            state.sent += 1
            return true
        }
    }

    func received(_ message: ByteBuffer) {
        if let since = time(in: message) {
            let passed = NIODeadline.now().uptimeNanoseconds - since
            return state.withLock { $0.heard.add(.nanoseconds(Int64(passed))) }
        }
        switch try? SocketEvent(json: message.readableBytesView) {
        case .joined(_, _, let others): state.withLock { $0.met += others.count }
        case .entered: state.withLock { $0.met += 1 }
        default: break
        }
    }

    /// The time in a body, which ends the message.
    private func time(in message: ByteBuffer) -> UInt64? {
        let start = message.writerIndex - 2 - bodyLength
        guard start > message.readerIndex, let digits = message.getString(at: start, length: 16),
            message.getString(at: start - 8, length: 8) == #""body":""#
        else { return nil }
        return UInt64(digits, radix: 16)
    }

    var met: Int { state.withLock { $0.met } }
    var sent: Int { state.withLock { $0.sent } }
    var heard: Int { state.withLock { $0.heard.samples.count } }
    var latencies: Latencies { state.withLock { $0.heard } }
}
