public import TrolleyJournal

extension Inspection {
    /// `{"state", "digest", "discarded": [{"id", "why"}], "anchors": [{"id", "after"}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("state")
            writer.object { state.writeMembers(to: &$0) }
            writer.key("digest")
            writer.string(digest.description)
            compression.writeMembers(to: &writer)
        }
    }
}

extension Compression {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.key("discarded")
        writer.array { writer in
            for discard in discarded {
                writer.object { writer in
                    writer.key("id")
                    writer.identifier(discard.id)
                    writer.key("why")
                    writer.string(discard.why.rawValue)
                }
            }
        }
        writer.key("anchors")
        writer.array { writer in
            for anchor in anchors {
                writer.object { writer in
                    writer.key("id")
                    writer.identifier(anchor.id)
                    writer.key("after")
                    if let after = anchor.after { writer.identifier(after) } else { writer.null() }
                }
            }
        }
    }
}
