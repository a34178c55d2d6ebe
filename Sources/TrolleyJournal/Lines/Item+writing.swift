#if !hasFeature(Embedded)
    extension Item {
        /// The item with these fields set; the others stay.
        package func writing(_ fields: Fields) -> Item {
            var item = self
            for (key, value) in fields { item.fields[key] = value }
            return item
        }
    }
#endif
