package import TrolleyJournal
package import TrolleyWire

extension RoomMachine {
    /// The service has sent a message on the device's socket, about this list. Of another room than the device's, only `joined`
    /// has an effect: the device leaves that room.
    /// - Parameter frame: the content of the sealed body of `said`; nil if it can't be opened.
    package mutating func heard(_ event: SocketEvent, frame: RoomFrame?, at now: Timestamp) -> [RoomAction] {
        switch event {
        case .joined(let room, _, let others): return opened(room.id, others: others, at: now)
        case .entered(let room, let member): return phase.room == room.id ? entered(member, at: now) : []
        case .left(let room, let device): if phase.room == room.id { left(device) }
        case .said(let room, let member, _):
            if let frame, phase.room == room.id { return received(frame, from: member, at: now) }
        case .closed(let room, let reason): closed(room.id, isRefused: reason != .left)
        case .refused(let room?, let code, _): refused(room.id, code)
        case .refused(nil, _, _), .hint, .missed, .unknown: break
        }
        return []
    }
}
