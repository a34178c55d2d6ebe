import Observation
import TrolleyClient

/// What a view shows of the list.
@MainActor @Observable final class ListModel {
    private(set) var items: [Item] = []
    private(set) var problem: String?
    private let list: OfflineList

    init(_ list: OfflineList) { self.list = list }

    /// For a view's `.task { await model.run() }`.
    func run() async {
        list.keepInStep()
        do {
            for try await state in list.states { items = state.items }
        } catch {
            problem = "\(error)"
        }
    }
}
