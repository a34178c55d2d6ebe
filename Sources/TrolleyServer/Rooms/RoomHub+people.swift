import Logging
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension RoomHub {
    /// Compares all rooms and their people with the database. People who are no longer on a list, or signed out, are put
    /// out. A room whose key the database no longer has is over for everybody: somebody who was removed knows its secret.
    func checkPeople() async {
        let began = ContinuousClock.now
        checkBeganAt.withLock { $0 = began }
        let (rooms, sockets) = state.withLock { ($0.rooms, $0.allSockets) }
        guard !sockets.isEmpty else { return checkedAt.withLock { $0 = began } }
        let seats = rooms.values.flatMap { room in room.sockets.map { (room.address, $0) } }
        do {
            // A removal changes the key and the membership. Keys are read first, so a removed person gets `removed`, not `expired`.
            let keys = rooms.isEmpty ? [:] : try await store.handshakeKeys(of: Array(rooms.keys))
            let memberships = Set(seats.map { Membership(list: $0.list, account: $1.session.account) })
            let existing = memberships.isEmpty ? [] : try await store.existing(memberships)
            let signedIn = try await store.signedIn(sockets.map(\.session.device))
            for (room, socket) in seats
            where !existing.contains(Membership(list: room.list, account: socket.session.account)) {
                putOut(socket, of: room, .removed)
            }
            for (address, room) in rooms where keys[address] != room.handshakeKey {
                for socket in room.sockets { putOut(socket, of: address, .expired) }
            }
            for socket in sockets where !signedIn.contains(socket.session.device) { closeSignedOut(socket) }
            checkedAt.withLock { $0 = began }
        } catch {
            logger.warning("the people in rooms could not be checked", metadata: ["error": "\(error)"])
        }
    }

    /// Closes a new socket if its device was signed out: the signal may have come before the socket was registered.
    func checkSession(of socket: Socket) async throws(StoreError) {
        if try await !store.isSignedIn(socket.session.device) { closeSignedOut(socket) }
    }

    private func closeSignedOut(_ socket: Socket) {
        close(socket)
        socket.close(SocketCloseCode.signedOut)
    }

    /// Ends all rooms: nobody knows who may still be in them.
    func putOutAll() {
        for room in state.withLock({ $0.rooms }).values {
            for socket in room.sockets { putOut(socket, of: room.address, .unavailable) }
        }
    }
}
