#if !hasFeature(Embedded)
    extension ListFold {
        /// How often items of these texts are bought, by the last item or purchase that says so.
        /// - Parameter purchases: those whose entries compression has removed from the list, in the order in which they were made.
        package func recurrences(of texts: [String], after purchases: [Purchase]) -> [ItemKey: FieldValue] {
            if texts.isEmpty { return [:] }
            let keys = Set(texts.map(\.itemKey))
            var found: [ItemKey: FieldValue] = [:]
            for purchase in purchases where keys.contains(purchase.text.itemKey) {
                found[purchase.text.itemKey] = purchase.every?.field
            }
            for (key, value) in lastValues(of: Fields.every, texts: texts) { found[key] = .string(value) }
            return found
        }
    }
#endif
