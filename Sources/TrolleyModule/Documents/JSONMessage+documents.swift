#if DOCUMENT_CALLS
    import TrolleyJournal
    import TrolleyWire

    // Files of other programs and recipes, which a person imports.

    extension JSONMessage {
        /// `{"text": "…", "file"?: "name.csv", "meanings"?: ["text", "", "quantity"], "isFirstRowNames"?: bool, "makes"?: n,
        /// "portions"?: n}` → what a person wants to import (`ImportedFile`): `{"recipe": {"name", "portions", "lines": [{"fields",
        /// "isProposed"}]}}`, or `{"lists": [{"name", "colour", "aisles", "items": [{"fields", "isMarkedOff"}]}], "leftOut": ["…"]}`, or
        /// `{"problem": code, "line"?: n}`. With `table`, the names, meanings and samples of a table's columns, for the person to
        /// say what they mean: then with `meanings`, '' for a column that is left out. `makes`: the recipe's portions, if it doesn't
        /// say; `portions`: to scale it for.
        func read(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let text = object.requiredString("text")
            let file = object.string("file") ?? ""
            let meanings = object.strings("meanings").map { CSVColumns.Meaning(rawValue: $0) }
            let isFirstRowNames = object.bool("isFirstRowNames")
            let (makes, portions) = (object.count("makes"), object.count("portions"))
            try check()
            let choice =
                meanings.isEmpty ? nil : CSVColumns.Choice(meanings: meanings, isFirstRowNames: isFirstRowNames)
            let bytes = Array(text.utf8)
            writer.open()
            do throws(DocumentError) {
                switch try ImportedFile(reading: bytes, file: file, columns: choice) {
                case .recipe(var recipe):
                    if let makes { recipe.portions = makes }
                    writer.write(portions.map { recipe.scaled(to: $0) } ?? recipe)
                case .lists(let documents): writer.write(documents)
                }
            } catch {
                writer.member("problem", word: error.code)
                if let line = error.line { writer.member("line", line) }
            }
            var columns: CSVColumns?
            do throws(DocumentError) { columns = try ListDocument.columns(of: bytes, file: file) } catch {
                columns = nil
            }
            if let columns { writer.write(columns) }
            writer.close()
        }

        /// `{"items": [{"fields", "isMarkedOff"?}], "present": [item], "at": time, "after": item?, "random": [uuid]}` →
        /// `{"drafts": […], "added": [{"item", "text", "outcome"}]}`: what adding items to a list does, as `add` does for lines. `present`
        /// has the list's items, as its state has them.
        func addItems(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let items = (object.objects("items") ?? []).map {
                NewItem(fields: $0.fields("fields"), isMarkedOff: $0.bool("isMarkedOff"))
            }
            let present = object.items("present")
            let at = object.requiredTimestamp("at")
            let after: ItemID? = object.identifier("after")
            let random = object.bitsOfMany("random")
            if items.count > random.count { object.fail("random: too few") }
            try check()
            let additions = ListState(items: present).additions(of: items)
            writer.write(additions, below: after, at: at, random: random) { _ in nil }
        }
    }

    extension JSONWriter {
        fileprivate mutating func write(_ documents: [ListDocument]) {
            name("lists")
            openArray()
            for document in documents {
                open()
                member("name", document.name)
                member("colour", document.colour)
                member("aisles", document.aisles)
                name("shops")
                openArray()
                for shop in document.shops {
                    open()
                    member("name", shop.name)
                    member("aisles", shop.aisles)
                    close()
                }
                closeArray()
                name("items")
                openArray()
                for item in document.items {
                    open()
                    name("fields")
                    item.fields.write(to: &self)
                    member("isMarkedOff", item.isMarkedOff)
                    close()
                }
                closeArray()
                close()
            }
            closeArray()
            member("leftOut", documents.first?.leftOut ?? [])
        }

        fileprivate mutating func write(_ columns: CSVColumns) {
            name("table")
            open()
            member("names", columns.names)
            member("meanings", columns.meanings.map { $0?.rawValue ?? "" })
            name("samples")
            openArray()
            for row in columns.samples {
                openArray()
                for cell in row { string(cell) }
                closeArray()
            }
            closeArray()
            close()
        }

        fileprivate mutating func write(_ recipe: Recipe) {
            name("recipe")
            open()
            member("name", recipe.name)
            name("portions")
            if let portions = recipe.portions { integer(Int64(portions)) } else { null() }
            name("lines")
            openArray()
            for line in recipe.lines {
                open()
                name("fields")
                line.ingredient.fields.write(to: &self)
                member("isProposed", line.isProposed)
                close()
            }
            closeArray()
            close()
        }

        private mutating func member(_ key: StaticString, _ texts: [String]) {
            name(key)
            openArray()
            for text in texts { string(text) }
            closeArray()
        }
    }
#endif
