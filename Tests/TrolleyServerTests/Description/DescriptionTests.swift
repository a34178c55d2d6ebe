import Foundation
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
                let security = call["security"] as? [[String: Any]]
                let isOpen = security?.isEmpty == true || security?.contains(where: \.isEmpty) == true
                #expect(isOpen == AccessTests.open.contains(name), "\(name)")
                let responses = try #require(call["responses"] as? [String: Any], "\(name)")
                #expect(isOpen || responses["401"] != nil, "\(name)")
                #expect(!name.contains("{list}") || responses["404"] != nil, "\(name)")
                #expect(!name.contains(" /v1/") || responses["429"] != nil, "\(name)")
                #expect(call["operationId"] is String && call["summary"] is String, "\(name)")
            }
        }
    }

    @Test("a version is the same wherever it stands, and its changes are told")
    func version() async throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let version = SoftwareVersion.current
        #expect(try text("openapi.yaml").contains("\n  version: \(version)\n"))
        #expect(
            try text("integrations/homeassistant/custom_components/trolley/manifest.json")
                .contains("\"version\": \"\(version)\""))
        let changes = try text("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        let newest = try #require(changes.first { $0 != "## Unreleased" })
        #expect(newest.wholeMatch(of: /## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d/)?.1 == version[...])
        #expect(try text("docs/releases/\(version).md").hasPrefix("Trolley \(version)\n"))
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
            #expect(document.words("Operation") == Operation.allCases.map(\.rawValue))
            #expect(document.words("NotificationLevel") == NotificationLevel.allCases.map(\.rawValue))
            #expect(document.words("Cause") == Cause.allCases.map(\.rawValue))
            let statuses = Participant.Status.allCases.map(\.rawValue)
            #expect(document.words("ParticipantStatus") == statuses)
            let kinds = ParticipantChange.Kind.allCases.map(\.rawValue)
            #expect(document.words("ParticipantEvent") == kinds)
            #expect(document.words("Registration") == Registration.allCases.map(\.rawValue))
            let limits = document.schema("Limits")?["properties"] as? [String: [String: Any]]
            let config: ConfigResponse = try await service.call("GET", Path.config).decode()
            #expect(limits?.compactMapValues { $0["default"] as? Int } == config.limits.byName)
            #expect(document.defaults("Rates") == Rates().byName)
            #expect(document.defaults("Quotas") == Quotas().byName)
            #expect(document.defaults("RoomLimits") == RoomLimits().byName)
        }
    }

    @Test("every body, and every part of one that has members or words, is a schema with a name")
    func names() async throws {
        try await TestService.with { service in
            let unnamed = try await service.description().unnamedObjects
            #expect(unnamed.sorted() == [])
        }
    }

    @Test(
        "a change and a line of the Activity are unions that a reader tells apart by type",
        arguments: [
            ("Change", ["entry": "EntryChange", "share": "ShareChange", "discard": "DiscardChange"]),
            ("Activity", ["entry": "EntryActivity", "participant": "ParticipantActivity"]),
        ])
    func unions(name: String, members: [String: String]) async throws {
        try await TestService.with { service in
            let document = try await service.description()
            let union = try #require(document.schema(name))
            let places = members.mapValues { "#/components/schemas/\($0)" }
            let discriminator = union["discriminator"] as? [String: Any]
            #expect(discriminator?["propertyName"] as? String == "type")
            #expect(discriminator?["mapping"] as? [String: String] == places)
            let variants = (union["oneOf"] as? [[String: String]])?.compactMap { $0["$ref"] }
            #expect(Set(variants ?? []) == Set(places.values))
            for (type, member) in members {
                let schema = document.schema(member)
                let properties = schema?["properties"] as? [String: [String: Any]]
                #expect(properties?["type"]?["const"] as? String == type)
                #expect((schema?["required"] as? [String])?.contains("type") == true)
            }
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

    /// The words of an enumeration.
    func words(_ name: String) -> [String]? { schema(name)?["enum"] as? [String] }

    /// The places of schemas with members that are inside a route or another schema and have no name of their own.
    var unnamedObjects: [String] {
        func collect(_ value: Any, at place: String, isNamed: Bool) -> [String] {
            switch value {
            case let object as [String: Any]:
                let isUnnamed = !isNamed && (object["properties"] is [String: Any] || object["enum"] is [Any])
                // The parts of a named composed schema have its name.
                return (isUnnamed ? [place] : [])
                    + object.flatMap { key, value in
                        collect(value, at: "\(place).\(key)", isNamed: isNamed && key == "allOf")
                    }
            case let array as [Any]: return array.flatMap { collect($0, at: place, isNamed: isNamed) }
            default: return []
            }
        }
        let components = root["components"] as? [String: [String: Any]] ?? [:]
        let schemas = components["schemas"]?.flatMap { collect($1, at: $0, isNamed: true) } ?? []
        let others = components.filter { $0.key != "schemas" }
        return schemas + collect(root["paths"] ?? [], at: "paths", isNamed: false)
            + collect(others, at: "components", isNamed: false)
    }
}

extension Rates: Defaulted {}
extension Quotas: Defaulted {}
extension Limits: Defaulted {}
extension RoomLimits: Defaulted {}

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
