#if LATER_CALLS
    import TrolleyJournal
    import TrolleySync
    import TrolleyWire

    /// A device's room on one list, which stays open between calls.
    final class OpenRoom {
        private var machine: RoomMachine
        /// The room that the device is about to make.
        private var planned: (credentials: RoomCredentials, hailing: [PresentDevice])?

        /// `{"account": id, "device": id}`: this device.
        init(_ message: JSONMessage) throws(WireError) {
            let me = RoomMember(message.object())
            try message.check()
            machine = RoomMachine(me: me)
        }

        /// `{"event": {…}, "at": time, "random"?: [uuid]}` → the actions and what the others do.
        func perform(_ message: JSONMessage, _ writer: inout JSONWriter) throws(WireError) {
            let object = message.object()
            let event = RoomEvent(object.requiredObject("event"))
            let at = object.requiredTimestamp("at")
            let random = object.bitsOfMany("random")
            if case .presence = event, random.count < 3 { object.fail("random: three UUIDs") }
            try message.check()
            let actions = machine.actions(after: event, planned, at: at)
            if case .made = event { planned = nil }
            for case .makeRoom(let devices) in actions { planned = (RoomCredentials(random, at: at), devices) }
            writer.open()
            writer.name("actions")
            writer.openArray()
            for action in actions { write(action, to: &writer) }
            writer.closeArray()
            machine.write(to: &writer)
            writer.close()
        }

        private func write(_ action: RoomAction, to writer: inout JSONWriter) {
            writer.open()
            switch action {
            case .makeRoom(let devices):
                writer.member("type", word: "makeRoom")
                if let credentials = planned?.credentials { writer.member("credentials", credentials) }
                writer.member("hailing", devices)
            case .hail(let credentials, let devices):
                writer.member("type", word: "hail")
                writer.member("credentials", credentials)
                writer.member("hailing", devices)
            case .deleteHail(let hail):
                writer.member("type", word: "deleteHail")
                writer.member("hail", bits: hail.bits)
            case .connect(let credentials):
                writer.member("type", word: "connect")
                writer.member("credentials", credentials)
            case .disconnect(let room):
                writer.member("type", word: "disconnect")
                writer.member("room", bits: room.bits)
            case .send(let frame):
                writer.member("type", word: "send")
                writer.member("room", bits: machine.phase.room?.bits)
                writer.member("frame", json: frame.json)
            case .fetch: writer.member("type", word: "fetch")
            case .doubleBuy(let item, let account):
                writer.member("type", word: "doubleBuy")
                writer.member("item", bits: item.bits)
                writer.member("by", bits: account.bits)
            }
            writer.close()
        }
    }

    extension RoomMachine {
        fileprivate mutating func actions(
            after event: RoomEvent, _ planned: (credentials: RoomCredentials, hailing: [PresentDevice])?,
            at now: Timestamp
        ) -> [RoomAction] {
            switch event {
            case .presence(let devices): return presence(devices, at: now)
            case .hail(let hail, let credentials, let sender):
                return credentials.map { hailed(hail, $0, from: sender, at: now) } ?? unreadableHail(hail)
            case .made(let expiresAt):
                guard let planned else { return [] }
                var credentials = planned.credentials
                credentials.expiresAt = min(credentials.expiresAt, expiresAt)
                return made(credentials, hailing: planned.hailing, at: now)
            case .makingFailed: makingFailed()
            case .heard(let event, let frame): return heard(event, frame: frame, at: now)
            case .lost: if let room = phase.room { closed(room, isRefused: false) }
            case .look(let item): return look(at: item, at: now)
            case .type(let item): return type(in: item, at: now)
            case .journal(let waiting, let arrived, let through):
                return journal(waiting: waiting, arrived: arrived, through: through, at: now)
            case .tick: _ = expire(at: now)
            case .stop: return stop()
            }
            return []
        }

        /// The phase, and what the others do.
        fileprivate func write(to writer: inout JSONWriter) {
            switch phase {
            case .idle: writer.member("phase", word: "idle")
            case .connecting: writer.member("phase", word: "connecting")
            case .live: writer.member("phase", word: "live")
            }
            writer.member("room", bits: phase.room?.bits)
            writer.name("members")
            writer.openArray()
            for device in view.members.keys.sorted() {
                writer.open()
                writer.member("account", bits: view.members[device]?.bits)
                writer.member("device", bits: device.bits)
                writer.close()
            }
            writer.closeArray()
            writer.member("looking", view.looking)
            writer.member("typing", view.typing)
            writer.name("tentative")
            writer.openArray()
            for item in view.tentativeItems { item.write(to: &writer) }
            writer.closeArray()
            writer.member("awaited", ids: awaited.sorted().map { $0.bits })
            writer.member("maximumTentative", RoomView.maximumTentative)
            writer.member("until", view.nextExpiry)
        }
    }

    extension RoomView.TentativeItem {
        fileprivate func write(to writer: inout JSONWriter) {
            writer.open()
            writer.member("item", bits: item.bits)
            writer.member("account", bits: account.bits)
            writer.member("operation", operation.rawValue)
            writer.member("isAdded", isAdded)
            writer.member("isDeleted", isDeleted)
            if let markedOff { writer.member("markedOff", markedOff) }
            if let text { writer.member("text", text) }
            writer.close()
        }
    }

    extension RoomCredentials {
        /// Of a room to be made.
        fileprivate init(_ random: [UUIDBits], at now: Timestamp) {
            var secret: [UInt8] = []
            for bits in random[1...2] {
                for half in [bits.high, bits.low] {
                    for shift in stride(from: 56, through: 0, by: -8) {
                        secret.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
                    }
                }
            }
            self.init(
                room: RoomID(random[0]), secret: secret, createdAt: now,
                expiresAt: now.advanced(byMilliseconds: RoomLimits().roomLifetime))
        }
    }

    extension JSONWriter {
        fileprivate mutating func member(_ key: StaticString, json: [UInt8]) {
            name(key)
            json.withUnsafeBytes { raw($0) }
        }

        fileprivate mutating func member(_ key: StaticString, _ credentials: RoomCredentials) {
            member(key, json: credentials.json)
        }

        fileprivate mutating func member(_ key: StaticString, _ devices: [PresentDevice]) {
            name(key)
            openArray()
            for device in devices {
                open()
                member("account", bits: device.account.bits)
                member("device", bits: device.device.bits)
                member("since", device.since)
                member("hailKey", device.hailKey)
                close()
            }
            closeArray()
        }

        fileprivate mutating func member(_ key: StaticString, _ places: [DeviceID: RoomView.Focus]) {
            name(key)
            openArray()
            for device in places.keys.sorted() {
                guard let focus = places[device] else { continue }
                open()
                member("account", bits: focus.account.bits)
                member("device", bits: device.bits)
                member("item", bits: focus.item?.bits)
                close()
            }
            closeArray()
        }
    }
#endif
