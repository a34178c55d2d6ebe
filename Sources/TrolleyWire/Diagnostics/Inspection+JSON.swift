public import TrolleyJournal

extension Inspection {
    /// `{"state", "digest", "messages": […] if there are any, "discarded": [{"id", "why"}], "anchors": [{"id", "after"}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("state")
            writer.object { state.writeMembers(to: &$0) }
            writer.member("digest", digest)
            if !messages.isEmpty { writer.member("messages", messages) }
            compression.writeMembers(to: &writer)
        }
    }
}

extension Compression {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("discarded", discarded) { discard, writer in
            writer.member("id", discard.id)
            writer.member("why", discard.why)
        }
        writer.member("anchors", anchors) { anchor, writer in
            writer.member("id", anchor.id)
            writer.member("after", anchor.after)
        }
    }
}
