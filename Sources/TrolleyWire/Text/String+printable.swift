#if !hasFeature(Embedded)
    // What others wrote, in a terminal. Both programs print through these functions and no others; see decision 2606.

    extension String {
        /// The text with its line breaks. Whatever could steer a terminal or reorder what it shows becomes '�'.
        package var printable: String { replacingSteering { $0 == "\n" ? "\n" : "\u{FFFD}" } }

        /// The same in one line: line breaks become '�' as well. For names and other values within a line.
        package var inOneLine: String { replacingSteering { _ in "\u{FFFD}" } }

        /// A JSON document with the same value, in which strings have no such scalars, only their escapes (RFC 8259 §7).
        package var printableJSON: String {
            replacingSteering { scalar in
                // Below U+0020 these are the document's own line breaks: JSON has no others.
                if scalar.value < 0x20 { return String(scalar) }
                let digits = String(scalar.value, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }

        /// Whether the text has a scalar that ``printable`` replaces, or a line break.
        package var steersTerminal: Bool { unicodeScalars.contains(where: \.steersTerminal) }

        private func replacingSteering(_ replacement: (Unicode.Scalar) -> String) -> String {
            // Most texts have none.
            guard steersTerminal else { return self }
            var text = String.UnicodeScalarView()
            for scalar in unicodeScalars {
                if scalar.steersTerminal {
                    text.append(contentsOf: replacement(scalar).unicodeScalars)
                } else {
                    text.append(scalar)
                }
            }
            return String(text)
        }
    }

    extension Unicode.Scalar {
        /// Whether a terminal acts on the scalar instead of showing it, or the scalar changes how others' text around it
        /// is shown.
        ///
        /// Marks that have no scope stay (U+200E, U+200F, U+061C), and joiners, which emoji and scripts need.
        fileprivate var steersTerminal: Bool {
            switch value {
            // C0, DEL and C1: a terminal in UTF-8 takes U+009B for ESC [.
            case 0..<0x20, 0x7F..<0xA0: true
            // Line and paragraph separators.
            case 0x2028, 0x2029: true
            // Bidirectional embeddings and overrides, and isolates: each lasts until its end or the line's.
            case 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
#endif
