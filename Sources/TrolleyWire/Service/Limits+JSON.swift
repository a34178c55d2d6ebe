extension Limits: JSONWritable {
    /// Reads the limits of any version: a missing one has its default.
    package init(_ object: JSONObject) {
        self.init()
        func take(_ key: StaticString, _ limit: inout Int) { limit = object.count(key) ?? limit }
        take("entriesPerRequest", &entriesPerRequest)
        take("bytesPerRequest", &bytesPerRequest)
        take("bytesPerEntry", &bytesPerEntry)
        take("bytesOfFields", &bytesOfFields)
        take("fieldsPerEntry", &fieldsPerEntry)
        take("changesPerPage", &changesPerPage)
        take("defaultChangesPerPage", &defaultChangesPerPage)
        take("participantsPerList", &participantsPerList)
        ageCap = object.integer("ageCap") ?? ageCap
    }

    package func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("ageCap", number: ageCap)
        writer.member("bytesOfFields", bytesOfFields)
        writer.member("bytesPerEntry", bytesPerEntry)
        writer.member("bytesPerRequest", bytesPerRequest)
        writer.member("changesPerPage", changesPerPage)
        writer.member("defaultChangesPerPage", defaultChangesPerPage)
        writer.member("entriesPerRequest", entriesPerRequest)
        writer.member("fieldsPerEntry", fieldsPerEntry)
        writer.member("participantsPerList", participantsPerList)
        writer.close()
    }

    #if !hasFeature(Embedded)
        // For ``ConfigResponse``.
        public init(from decoder: any Decoder) throws { self = try decoder.json { Limits($0) } }
        public func encode(to encoder: any Encoder) throws { try encoder.json(self) }
    #endif
}
