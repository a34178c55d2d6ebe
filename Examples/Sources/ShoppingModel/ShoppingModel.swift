public import Observation
public import TrolleyClient

/// What a SwiftUI view shows of one list. It needs no SwiftUI itself:
///
/// ```swift
/// struct ShoppingView: View {
///     @State var model: ShoppingModel
///
///     var body: some View {
///         List(model.items) { item in
///             Button(item.text) { Task { await model.toggle(item) } }
///         }
///         .navigationTitle(model.name)
///         .task { await model.run() }
///     }
/// }
/// ```
@MainActor @Observable public final class ShoppingModel {
    public private(set) var name = ""
    public private(set) var items: [Item] = []
    /// Where the sync stands, as a line.
    public private(set) var status = ""
    /// What the button 'Undo' would take back; nil: nothing.
    public private(set) var undoable: [JournalEntry]?
    /// What went wrong last, as a sentence in the person's language. A view shows it and sets it to nil.
    public var problem: String?

    private let list: ShoppingList
    @ObservationIgnored private var taps = ItemTaps()
    private let translation: @Sendable (String) -> String?

    /// - Parameter translation: translates a key of `ErrorMessage.english`; nil: the sentence is English.
    public init(list: ShoppingList, translation: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.list = list
        self.translation = translation
    }

    /// Follows the list and keeps it in step, until the task is cancelled: `.task { await model.run() }`.
    public func run() async {
        list.device.start()
        async let progressing: Void = followProgress()
        await followRows()
        await progressing
        await list.device.stop()
    }

    /// Adds what a text says, one item a line: '2x eggs'.
    public func add(_ text: String) async {
        await change { try await $0.add(text) }
    }

    /// Marks an item off, or unmarks it. Somebody else's mark that has only just arrived is confirmed instead.
    public func toggle(_ item: Item) async {
        let edit = taps.tap(item.id)
        await change { try await $0.perform([edit]) }
    }

    /// Takes back the person's last gesture.
    public func undo() async {
        await change { try await $0.undo() }
    }

    /// Makes a change, which shows at once. The device sends it by itself.
    private func change(_ body: (ShoppingList) async throws -> Void) async {
        do {
            try await body(list)
            undoable = try await list.canUndo()?.gesture
        } catch {
            show(error)
        }
    }

    private func followRows() async {
        do {
            for try await update in list.rows {
                name = update.state.name ?? ""
                items = update.state.items
                taps.show(items)
                undoable = try await list.canUndo()?.gesture
                // The list is in sight.
                try await list.markRead(offline: true)
            }
        } catch {
            show(error)
        }
    }

    private func followProgress() async {
        do { for try await progress in list.device.status { status = progress.description } } catch { show(error) }
    }

    private func show(_ error: any Error) {
        problem = (error as? DeviceError)?.message.text(translation) ?? "\(error)"
    }
}
