import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird
import TrolleyWire

/// A request to switch to the WebSocket protocol (RFC 6455 §4.2.1).
struct WebSocketRequest: Hashable, Sendable {
    /// The subprotocol of rooms.
    static let subprotocol = "trolley.v1"
    /// A subprotocol that carries the bearer token, because browsers can't set `Authorization` for a WebSocket.
    static let bearerPrefix = "trolley.bearer."

    /// The client's nonce, 16 bytes in base64.
    let key: String
    /// Whether the client offers ``subprotocol``.
    let offersSubprotocol: Bool

    /// - Throws: `Problem` when the request is none, or asks for another version.
    init(_ headers: HTTPFields) throws(Problem) {
        guard headers.asksForWebSocket else {
            throw Problem(.incompatibleVersion, "this call needs a WebSocket upgrade over HTTP/1.1 (RFC 6455)")
        }
        guard headers[.secWebSocketVersion] == "13" else {
            throw Problem(.incompatibleVersion, "only version 13 of the WebSocket protocol is supported")
        }
        guard let key = headers[.secWebSocketKey], Data(base64Encoded: key)?.count == 16 else {
            throw Problem(.invalidArguments, "Sec-WebSocket-Key must be 16 bytes in base64")
        }
        self.key = key
        offersSubprotocol = headers.texts(.secWebSocketProtocol).contains(Self.subprotocol)
    }

    /// The value of `Sec-WebSocket-Accept`: proves that the service speaks the protocol.
    var accept: String {
        let digest = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }

    /// The headers of the response `101 Switching Protocols`.
    var responseHeaders: HTTPFields {
        var headers: HTTPFields = [.connection: "Upgrade", .upgrade: "websocket", .secWebSocketAccept: accept]
        if offersSubprotocol { headers[.secWebSocketProtocol] = Self.subprotocol }
        return headers
    }
}

extension HTTPFields {
    /// The comma-separated values of a header, as they are.
    fileprivate func texts(_ name: HTTPField.Name) -> [String] {
        self[values: name].flatMap { $0.split(separator: ",") }.map { $0.trimming { $0 == " " || $0 == "\t" } }
    }

    /// The same in lower case.
    fileprivate func tokens(_ name: HTTPField.Name) -> [String] { texts(name).map { $0.lowercased() } }

    /// Whether the headers that only the connection has ask for a WebSocket.
    var asksForWebSocket: Bool {
        tokens(.upgrade).contains("websocket") && tokens(.connection).contains("upgrade")
    }

    /// The bearer token among the offered subprotocols.
    var bearerSubprotocol: String? {
        texts(.secWebSocketProtocol).first { $0.hasPrefix(WebSocketRequest.bearerPrefix) }
            .map { String($0.dropFirst(WebSocketRequest.bearerPrefix.count)) }
    }
}

extension Substring {
    fileprivate func trimming(_ isSpace: (Character) -> Bool) -> String {
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }
}
