#if LATER_CALLS
    import TrolleyJournal
    import TrolleySync
    import TrolleyWire

    /// What a device tells its room. The service's messages are as they came, but for `said`, whose body is opened.
    enum RoomEvent {
        case presence([PresentDevice])
        /// nil: it can't be opened.
        case hail(HailID, RoomCredentials?, from: RoomMember)
        case made(expiresAt: Timestamp)
        case makingFailed
        case joined(RoomID, others: [RoomMember])
        case entered(RoomID, RoomMember)
        case left(RoomID, DeviceID)
        case said(RoomID, RoomMember, RoomFrame)
        case closed(RoomID, RoomClosure)
        case refused(RoomID, ProblemCode)
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
                self = RoomEvent(message: object, type)
            }
        }

        /// A message of the service. One of a later version does nothing.
        private init(message object: JSONObject, _ type: String) {
            let room = RoomID(object.requiredBits("room"))
            if type.isText("joined") {
                self = .joined(room, others: (object.objects("others") ?? []).map { RoomMember($0) })
            } else if type.isText("entered") {
                self = .entered(room, RoomMember(object))
            } else if type.isText("left") {
                self = .left(room, DeviceID(object.requiredBits("device")))
            } else if type.isText("said") {
                self = .said(room, RoomMember(object), object.frame("frame"))
            } else if type.isText("closed") {
                self = .closed(room, RoomClosure(name: object.string("reason") ?? "") ?? .left)
            } else if type.isText("refused") {
                self = .refused(room, ProblemCode(name: object.string("code") ?? "") ?? .internalError)
            } else {
                self = .tick
            }
        }
    }

    extension RoomMember {
        init(_ object: JSONObject) {
            self.init(
                account: AccountID(object.requiredBits("account")), device: DeviceID(object.requiredBits("device")))
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

        @inline(never) fileprivate func frame(_ key: StaticString) -> RoomFrame {
            value(key) { reader throws(WireError) in try RoomFrame(from: &reader) } ?? .unknown
        }
    }
#endif
