public import Observation
public import TrolleyClient
public import TrolleyJournal
import TrolleySync

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

    private let device: Device
    private let list: ListID
    private let translation: @Sendable (String) -> String?

    /// - Parameter translation: translates a key of `ErrorMessage.english`; nil: the sentence is English.
    public init(device: Device, list: ListID, translation: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.device = device
        self.list = list
        self.translation = translation
    }

    /// Follows the list and keeps it in step, until the task is cancelled: `.task { await model.run() }`.
    public func run() async {
        device.start()
        async let progressing: Void = followProgress()
        await followRows()
        await progressing
        await device.stop()
    }

    /// Adds what a text says, one item a line: '2x eggs'.
    public func add(_ text: String) async {
        await change { device, list in try await device.add(text, to: list) }
    }

    /// Marks an item off, or unmarks it.
    public func toggle(_ item: Item) async {
        await change { device, list in
            try await device.perform([item.markedOff ? .unmark(item.id) : .markOff(item.id)], on: list)
        }
    }

    /// Takes back the person's last gesture.
    public func undo() async {
        await change { device, list in try await device.undo(on: list) }
    }

    /// Makes a change, which shows at once. The device sends it by itself.
    private func change(_ body: (Device, ListID) async throws -> Void) async {
        do {
            try await body(device, list)
            undoable = try await device.canUndo(on: list)?.gesture
        } catch {
            show(error)
        }
    }

    private func followRows() async {
        do {
            for try await update in device.rows(of: list) {
                name = update.state.name ?? ""
                items = update.state.items
                undoable = try await device.canUndo(on: list)?.gesture
                // The list is in sight.
                try await device.markRead(list, offline: true)
            }
        } catch {
            show(error)
        }
    }

    private func followProgress() async {
        do { for await progress in try await device.progress() { status = progress.description } } catch { show(error) }
    }

    private func show(_ error: any Error) {
        problem = (error as? DeviceError)?.message.text(translation) ?? "\(error)"
    }
}
