/// The name of an element: its namespace and its local name.
struct XMLName: Hashable, Sendable {
    let namespace: String
    let local: String

    static let davNamespace = "DAV:"
    static let calendarNamespace = "urn:ietf:params:xml:ns:caldav"
    static let serverNamespace = "http://calendarserver.org/ns/"
    static let appleNamespace = "http://apple.com/ns/ical/"

    static func dav(_ local: String) -> XMLName { XMLName(namespace: davNamespace, local: local) }
    static func calendar(_ local: String) -> XMLName { XMLName(namespace: calendarNamespace, local: local) }
    static func server(_ local: String) -> XMLName { XMLName(namespace: serverNamespace, local: local) }
    static func apple(_ local: String) -> XMLName { XMLName(namespace: appleNamespace, local: local) }
}

/// An element of a request's body. Comments and processing instructions are left out.
struct XMLElement: Sendable {
    let name: XMLName
    /// By local name, without declarations of namespaces.
    var attributes: [String: String] = [:]
    var children: [XMLElement] = []
    /// The text directly in it, in one piece.
    var text = ""

    func first(_ name: XMLName) -> XMLElement? { children.first { $0.name == name } }

    func all(_ name: XMLName) -> [XMLElement] { children.filter { $0.name == name } }
}

/// Why a body is not read.
enum XMLError: Error, Hashable {
    /// Not well-formed, or not UTF-8.
    case malformed
    /// It has a document type, so it could declare entities.
    case documentType
    /// Too deep, or too many elements.
    case tooLarge
}
