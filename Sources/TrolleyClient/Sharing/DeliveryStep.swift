/// How far a change of this device has come on its way to another person.
public enum DeliveryStep: Int, CaseIterable, Comparable, Hashable, Sendable {
    /// In this device's upload queue.
    case queued
    /// In the list's journal.
    case onService
    /// On a device of the person: one of their devices has stored it.
    case onDevice
    /// The person has seen it.
    case seen

    public static func < (left: DeliveryStep, right: DeliveryStep) -> Bool { left.rawValue < right.rawValue }
}
