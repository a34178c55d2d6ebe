import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyWire

/// An error answer of WebDAV (RFC 4918 §16): a status, and the condition that the request has broken.
struct CalendarError: Error {
    let status: HTTPResponse.Status
    let condition: XMLName?
    let message: String
    var href: String?

    init(_ status: HTTPResponse.Status, _ condition: XMLName?, _ message: String, href: String? = nil) {
        self.status = status
        self.condition = condition
        self.message = message
        self.href = href
    }

    static let preconditionFailed = CalendarError(
        .preconditionFailed, nil, "the task was changed since; fetch it, and write it again")
    static let notFound = CalendarError(.notFound, nil, "there is nothing at this address for you")
    static let registration = CalendarError(.methodNotAllowed, nil, "a registration can only be deleted")

    init(_ error: XMLError) {
        switch error {
        case .malformed: self.init(.badRequest, nil, "the body isn't well-formed XML in UTF-8")
        case .documentType: self.init(.badRequest, nil, "the body must have no document type and no entities")
        case .tooLarge: self.init(.contentTooLarge, nil, "the body has too many elements, or too deep ones")
        }
    }

    init(_ refusal: CalendarObject.Refusal) {
        switch refusal {
        case .malformed(let why): self.init(.forbidden, .calendar("valid-calendar-data"), why)
        case .unsupportedComponent:
            self.init(
                .forbidden, .calendar("supported-calendar-component"), "a list has tasks (VTODO), one in each object")
        case .several(let why): self.init(.forbidden, .calendar("valid-calendar-object-resource"), why)
        case .recurring:
            self.init(
                .forbidden, .calendar("valid-calendar-object-resource"),
                "a list has no repeating tasks; save the task without repetition")
        }
    }

    init(_ problem: Problem) {
        let condition: XMLName? =
            switch problem.code {
            case .permissionFailure: .dav("need-privileges")
            case .quotaExceeded: .dav("quota-not-exceeded")
            case .limitExceeded: .calendar("max-resource-size")
            default: nil
            }
        let status: HTTPResponse.Status =
            switch problem.code {
            case .quotaExceeded: .insufficientStorage
            // A list that is gone is not there any more; clients understand that better than 410.
            case .listDeleted: .notFound
            case .limitExceeded: .forbidden
            default: HTTPResponse.Status(code: problem.status)
            }
        self.init(status, condition, problem.detail ?? problem.title)
    }

    var response: Response {
        var writer = XMLWriter()
        writer.element(.dav("error")) { writer in
            if let condition {
                writer.element(condition) { writer in
                    if let href { writer.href(href) }
                }
            }
            // As Apple's server does: the standard has no element for it.
            writer.element(
                XMLName(namespace: "http://twistedmatrix.com/xml_namespace/dav/", local: "error-description"), message)
        }
        return .xml(writer.text, status: status)
    }
}

extension HTTPResponse.Status {
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    static let multiStatus = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")
}

extension Response {
    static func xml(_ text: String, status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/xml; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
