import Hummingbird
import Synchronization

/// The methods of all paths, to distinguish a wrong method from an unknown path. The router reports both as not found.
final class RouteTable: Sendable {
    private struct Row {
        /// The parts of the pattern; nil for a parameter.
        let parts: [Substring?]
        var methods: [String]

        func fits(_ path: [Substring]) -> Bool {
            parts.count == path.count && zip(parts, path).allSatisfy { part, given in part == nil || part == given }
        }

        /// Whether the router tries this pattern first: a word has precedence over a parameter.
        func precedes(_ other: Row) -> Bool {
            for (mine, theirs) in zip(parts, other.parts) where (mine == nil) != (theirs == nil) { return mine != nil }
            return false
        }
    }

    private let rows = Mutex<[Row]>([])

    /// Reads the routes of a complete router.
    func fill(from router: Router<TrolleyContext>) {
        var methods: [String: [String]] = [:]
        for route in router.routes {
            methods[route.path.description, default: []].append(route.method.rawValue)
            // ``HeadResponder`` answers it.
            if route.method == .get { methods[route.path.description, default: []].append("HEAD") }
        }
        let filled = methods.map { pattern, methods in
            let parts = pattern.split(separator: "/").map { part -> Substring? in
                part.hasPrefix("{") || part.hasPrefix(":") ? nil : part
            }
            return Row(parts: parts, methods: methods.sorted())
        }
        rows.withLock { $0 = filled }
    }

    /// The methods of a path; empty if the service has no such path.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        return rows.withLock { rows in
            rows.lazy.filter { $0.fits(parts) }.min { $0.precedes($1) }?.methods ?? []
        }
    }
}
