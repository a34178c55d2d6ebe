import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls for storing the result of a fetch.

extension JSONMessage {
    /// `{"list": {…}, "page"?: {…}, "taken": [{"type", "sequence", "isOwn", "wasApplied", "share"?: {…}, "entry"?: {…},
    /// "refused"?: {…}}]}` → `{"steps": [step], "isStaging", "through", "ownership", "applied": [bool], "news": [bool], "arrived":
    /// [id]}`: how to store a page of a list, and what becomes of the changes that are taken from it or from what was staged.
    /// Without a page, the list is replaced with what is staged. `refused`: the rejected entry with an entry's id; `arrived`:
    /// those that have arrived all the same.
    func receiving(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let list = ReceivingList(object.requiredObject("list"))
        let page = object.object("page").map { ReceivedPage($0) }
        let taken = object.objects("taken") ?? []
        var plan = page.map { ReceivingPlan(storing: $0, in: list) } ?? ReceivingPlan(replacingWithStaged: list)
        var applied: [Bool] = []
        var news: [Bool] = []
        var arrived: [UUIDBits] = []
        for change in taken {
            let known = plan.news
            applied.append(plan.take(change))
            news.append(plan.news > known)
            guard change.object("refused") != nil else { continue }
            let entry = change.requiredEntry("entry")
            if RejectedEntry.hasArrived(change.requiredEntry("refused"), as: entry) { arrived.append(entry.id.bits) }
        }
        try check()
        writer.open()
        writer.name("steps")
        writer.openArray()
        for step in plan.steps { writer.string(step.rawValue) }
        writer.closeArray()
        writer.member("isStaging", plan.isStaging)
        writer.member("through", number: plan.through.rawValue)
        writer.member(plan.owner)
        writer.member("applied", applied)
        writer.member("news", news)
        writer.member("arrived", ids: arrived)
        writer.close()
    }

    /// `{"list": {…}, "isGone", "isUnknown", "isAccountLost"}` → `{"isOwn": bool, "step": step or null, "isPublished", "isLocal",
    /// "ownership"}`: whether a list is the person's own, what to do with it if a fetch brings no page, or another account
    /// succeeds the list's, and its state afterwards.
    func ended(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let list = ReceivingList(object.requiredObject("list"))
        let isUnknown = object.bool("isUnknown")
        // The caller knows the reason.
        let end: ReceivedEnd
        if object.bool("isAccountLost") {
            end = .accountLost
        } else if object.bool("isGone") {
            end = .gone(.removed, isUnknown: isUnknown)
        } else {
            end = .tokenRefused(isUnknown: isUnknown)
        }
        let step = end.step(for: list)
        try check()
        writer.open()
        writer.member("isOwn", list.isOwn)
        switch step {
        case .fetchAfresh: writer.member("step", word: "fetchAfresh")
        case .offerAgain: writer.member("step", word: "offerAgain")
        case .keepHere: writer.member("step", word: "keepHere")
        case .makeAnew: writer.member("step", word: "makeAnew")
        case .leave: writer.member("step", word: "leave")
        case nil: writer.member("step", nil as String?)
        }
        let after = step.map { list.after($0) } ?? list
        writer.member("isPublished", after.isPublished)
        writer.member("isLocal", after.isLocal)
        writer.member(after.owner)
        writer.close()
    }
}

extension ReceivingList {
    fileprivate init(_ object: JSONObject) {
        self.init(
            token: object.string("token"), isStaging: object.bool("isStaging"),
            through: SequenceNumber(rawValue: object.integer("through") ?? 0), isLocal: object.bool("isLocal"),
            isPublished: object.bool("isPublished"),
            owner: ListOwner(
                owner: object.object("share")?.owner, proof: object.ownership, account: object.identifier("account")))
    }
}

extension JSONObject {
    /// The owner in a state of the share.
    fileprivate var owner: AccountID? {
        objects("participants")?.first { $0.string("role")?.isText("owner") ?? false }?.identifier("account")
    }

    /// The service's proof of ownership; '' if it has issued none.
    fileprivate var ownership: ListOwner.Proof {
        guard let text = string("ownership") else { return .unknown }
        return text.isText("") ? .none : .text(text)
    }
}

extension ReceivedPage {
    fileprivate init(_ object: JSONObject) {
        self.init(
            isSnapshot: object.bool("isSnapshot"), moreComing: object.bool("moreComing"),
            isEmpty: object.bool("isEmpty"),
            hasDigest: object.bool("hasDigest"),
            through: object.integer("through").map { SequenceNumber(rawValue: $0) })
    }
}

extension ReceivingPlan {
    fileprivate mutating func take(_ change: JSONObject) -> Bool {
        let type = change.requiredString("type")
        let kind: ReceivedKind
        if type.isText("entry") {
            kind = .entry
        } else {
            kind = type.isText("share") ? .share(owner: change.object("share")?.owner) : .discard
        }
        return take(
            kind, at: SequenceNumber(rawValue: change.integer("sequence") ?? 0), isOwn: change.bool("isOwn"),
            wasApplied: change.bool("wasApplied"))
    }
}

extension JSONWriter {
    /// Writes the proof of ownership; '' if the service has issued none.
    @inline(never) fileprivate mutating func member(_ owner: ListOwner?) {
        switch owner?.proof {
        case .text(let proof): member("ownership", proof)
        case .none?: member("ownership", "")
        case .unknown, nil: member("ownership", nil as String?)
        }
    }

    fileprivate mutating func member(_ key: StaticString, _ values: [Bool]) {
        name(key)
        openArray()
        for value in values { bool(value) }
        closeArray()
    }
}
