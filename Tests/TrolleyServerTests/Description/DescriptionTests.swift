import Testing
import TrolleyJournal
import TrolleyWire
import Yams

@testable import TrolleyServer

@Suite("openapi.yaml", .timeLimit(.minutes(20)))
struct DescriptionTests {
    @Test("every call that there is is described, and every call that is described is there")
    func calls() async throws {
        try await TestService.with { service in
            let described = try await service.description().calls
            let routes = service.service.routes.map(\.description)
            #expect(Set(routes).subtracting(described.keys).sorted() == [], "not described")
            #expect(Set(described.keys).subtracting(routes).sorted() == [], "not there")
        }
    }

    @Test("it says of each call whether it needs a session, and which parameters its path has")
    func details() async throws {
        try await TestService.with { service in
            for (name, call) in try await service.description().calls {
                let isOpen = (call["security"] as? [Any])?.isEmpty == true
                #expect(isOpen == AccessTests.open.contains(name), "\(name)")
                let responses = try #require(call["responses"] as? [String: Any], "\(name)")
                #expect(isOpen || responses["401"] != nil, "\(name)")
                #expect(!name.contains("{list}") || responses["404"] != nil, "\(name)")
                #expect(!name.contains(" /v1/") || responses["429"] != nil, "\(name)")
                #expect(call["operationId"] is String && call["summary"] is String, "\(name)")
            }
        }
    }

    @Test("every reference leads somewhere")
    func references() async throws {
        try await TestService.with { service in
            let document = try await service.description()
            for reference in document.references {
                var place: Any? = document.root
                for key in reference.dropFirst(2).split(separator: "/") {
                    place = (place as? [String: Any])?[String(key)]
                }
                #expect(place != nil, "\(reference)")
            }
        }
    }

    @Test("its codes, operations, causes, reasons and limits are the library's")
    func words() async throws {
        try await TestService.with { service in
            let document = try await service.description()
            #expect(document.words("Code") == ProblemCode.allCases.map(\.rawValue))
            #expect(document.words("GoneReason") == ListGoneReason.allCases.map(\.rawValue))
            #expect(document.words("Role") == Role.allCases.map(\.rawValue))
            #expect(document.words("Permission") == Permission.allCases.map(\.rawValue))
            #expect(document.words("Entry", "operation") == Operation.allCases.map(\.rawValue))
            #expect(document.words("Entry", "cause") == Cause.allCases.map(\.rawValue))
            let statuses = Participant.Status.allCases.map(\.rawValue)
            #expect(document.words("Participant", "status") == statuses)
            let kinds = ParticipantChange.Kind.allCases.map(\.rawValue)
            #expect(document.words("Activity", "kind") == kinds)
            let limits = document.schema("Limits")?["properties"] as? [String: [String: Any]]
            let config: ConfigResponse = try await service.call("GET", Path.config).decode()
            #expect(limits?.compactMapValues { $0["default"] as? Int } == config.limits.byName)
            #expect(document.defaults("Rates") == Rates().byName)
            #expect(document.defaults("Quotas") == Quotas().byName)
        }
    }

    @Test("each code stands in its table with its status")
    func table() async throws {
        try await TestService.with { service in
            let text = try await service.description().schema("Code")?["description"] as? String ?? ""
            for code in ProblemCode.allCases {
                #expect(text.contains("| `\(code.rawValue)` | \(code.status) |"), "\(code.rawValue)")
            }
        }
    }
}

extension TestService {
    /// The service's own description.
    fileprivate func description() async throws -> Description {
        let answer = try await call("GET", "/openapi.yaml")
        #expect(answer.headers["content-type"] == "application/yaml")
        return Description(root: try #require(try Yams.load(yaml: answer.text) as? [String: Any]))
    }
}

private struct Description {
    let root: [String: Any]

    /// By method and path, as `GET /v1/lists/{list}`.
    var calls: [String: [String: Any]] {
        var calls: [String: [String: Any]] = [:]
        for (path, methods) in root["paths"] as? [String: [String: Any]] ?? [:] {
            for (method, call) in methods where method != "parameters" {
                calls["\(method.uppercased()) \(path)"] = call as? [String: Any]
            }
        }
        return calls
    }

    var references: Set<String> {
        func collect(_ value: Any) -> [String] {
            switch value {
            case let object as [String: Any]:
                object.flatMap { key, value in
                    if key == "$ref", let reference = value as? String { [reference] } else { collect(value) }
                }
            case let array as [Any]: array.flatMap(collect)
            default: []
            }
        }
        return Set(collect(root))
    }

    func schema(_ name: String) -> [String: Any]? {
        ((root["components"] as? [String: Any])?["schemas"] as? [String: Any])?[name] as? [String: Any]
    }

    /// The default of each of a schema's properties.
    func defaults(_ name: String) -> [String: Int]? {
        (schema(name)?["properties"] as? [String: [String: Any]])?.compactMapValues { $0["default"] as? Int }
    }

    /// The words of an enumeration: a schema's, or one of its property's.
    func words(_ name: String, _ property: String? = nil) -> [String]? {
        guard let property else { return schema(name)?["enum"] as? [String] }
        let properties = schema(name)?["properties"] as? [String: [String: Any]]
        return properties?[property]?["enum"] as? [String]
    }
}

extension Rates: Defaulted {}
extension Quotas: Defaulted {}
extension Limits: Defaulted {}

private protocol Defaulted {}

extension Defaulted {
    fileprivate var byName: [String: Int] {
        let pairs = Mirror(reflecting: self).children.compactMap { child -> (String, Int)? in
            guard let name = child.label else { return nil }
            return (child.value as? Int ?? (child.value as? Int64).map { Int($0) }).map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
