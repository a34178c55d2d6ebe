#if LATER_CALLS
    import TrolleyJournal
    import TrolleySync
    import TrolleyWire

    /// What a device tells its room.
    enum RoomEvent {
        case presence([PresentDevice])
        /// nil: it can't be opened.
        case hail(HailID, RoomCredentials?, from: RoomMember)
        case made(expiresAt: Timestamp)
        case makingFailed
        /// A message of the service, and the opened body of `said`.
        case heard(SocketEvent, frame: RoomFrame?)
        /// The socket has closed, or can't be opened.
        case lost
        case look(ItemID?)
        case type(ItemID?)
        case journal(waiting: [JournalEntry], arrived: Set<EntryID>, through: SequenceNumber)
        /// Time has passed.
        case tick
        case stop
    }

    extension RoomEvent {
        /// Reads `{"type": "look", "item": id}`: the case's name, and its values.
        init(_ object: JSONObject) {
            let type = object.requiredString("type")
            if type.isText("presence") {
                self = .presence((object.objects("devices") ?? []).map { PresentDevice($0) })
            } else if type.isText("hail") {
                self = .hail(
                    HailID(object.requiredBits("id")), object.hailedCredentials, from: RoomMember(object))
            } else if type.isText("made") {
                self = .made(expiresAt: object.requiredTimestamp("expiresAt"))
            } else if type.isText("makingFailed") {
                self = .makingFailed
            } else if type.isText("look") {
                self = .look(object.identifier("item"))
            } else if type.isText("type") {
                self = .type(object.identifier("item"))
            } else if type.isText("journal") {
                var waiting: [JournalEntry] = []
                object.elements("waiting") { reader throws(WireError) in waiting.append(try JournalEntry(from: &reader))
                }
                let arrived: [EntryID] = object.identifiers("arrived")
                self = .journal(
                    waiting: waiting, arrived: Set(arrived),
                    through: SequenceNumber(rawValue: object.integer("through") ?? 0))
            } else if type.isText("lost") {
                self = .lost
            } else if type.isText("stop") {
                self = .stop
            } else if type.isText("tick") {
                self = .tick
            } else {
                self = .heard(SocketEvent(object), frame: object.object("frame").map { RoomFrame($0) })
            }
        }
    }

    extension PresentDevice {
        fileprivate init(_ object: JSONObject) {
            let member = RoomMember(object)
            self.init(
                account: member.account, device: member.device, since: object.requiredTimestamp("since"),
                hailKey: object.requiredString("hailKey"))
        }
    }

    extension JSONObject {
        /// The text in `credentials`, which was sealed in a hail. nil when it isn't there, can't be read, or is of another
        /// room than the hail.
        fileprivate var hailedCredentials: RoomCredentials? {
            guard let text = string("credentials"), let credentials = try? RoomCredentials(json: Array(text.utf8)),
                credentials.room.bits == bits("room")
            else { return nil }
            return credentials
        }
    }
#endif
