#if SERVICE_CALLS
    import TrolleyJournal
    import TrolleyWire

    // What only the service does with a journal.

    extension JSONMessage {
        /// `{"entries": […], "cutOff": time}` → the state, the digest, and the result of compression.
        func inspect(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let cutOff = object.requiredTimestamp("cutOff")
            try check()
            Inspection(of: entries, olderThan: cutOff).write(to: &writer)
        }

        /// `{"entries": […], "cutOff": time, "append": [entry]}` → `{"resolutions": […], "digest"}`: how the
        /// service resolves entries that arrive after a compression.
        func resolve(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            var appended: [ConfirmedEntry] = []
            object.elements("append") { reader throws(WireError) in appended.append(try ConfirmedEntry(from: &reader)) }
            let cutOff = object.requiredTimestamp("cutOff")
            try check()

            var live = Compression(of: entries, olderThan: cutOff).applied(to: entries)
            var resolver = AppendResolver(activity: entries, live: live)
            writer.open()
            writer.name("resolutions")
            writer.openArray()
            for entry in appended {
                let resolution = resolver.resolve(entry)
                live.removeAll { resolution.relocated.contains($0.entry.id) }
                for var entry in resolution.restored + [resolution.entry] {
                    entry.sequence = (live.last?.sequence ?? .start).advanced(by: 1)
                    live.append(entry)
                }
                resolution.write(to: &writer)
            }
            writer.closeArray()
            writer.member("digest", ListState(folding: live).digest.description)
            writer.close()
        }
    }

    extension AppendResolver.Resolution {
        fileprivate func write(to writer: inout JSONWriter) {
            writer.open()
            writer.member("lifted", ids: relocated.map { $0.bits })
            writer.name("returning")
            writer.openArray()
            for entry in restored {
                writer.open()
                writer.member("id", bits: entry.entry.id.bits)
                writer.member("after", bits: entry.entry.after?.bits)
                writer.close()
            }
            writer.closeArray()
            writer.member("after", bits: entry.entry.after?.bits)
            writer.close()
        }
    }
#endif
