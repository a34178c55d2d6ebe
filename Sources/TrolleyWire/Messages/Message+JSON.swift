public import TrolleyJournal

extension Message: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("sequence", ifAny: sequence)
            writer.member("author", author)
            writer.member("madeAt", madeAt)
            writer.member("item", ifAny: item)
            writer.member("text", text)
            writer.key("fields")
            fields.write(to: &writer)
            writer.member("reactions", reactions) { reaction, writer in
                writer.member("text", reaction.text)
                writer.member("accounts", reaction.accounts)
            }
            writer.member("pinned", isPinned)
        }
    }
}
