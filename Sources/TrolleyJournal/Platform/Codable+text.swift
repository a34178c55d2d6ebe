#if !hasFeature(Embedded)
    // For types whose JSON is a string.

    extension Decoder {
        /// - Parameter kind: what the string must be, for the error.
        func text<Value: LosslessStringConvertible>(_ kind: String) throws -> Value {
            let container = try singleValueContainer()
            guard let value = Value(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(kind)")
            }
            return value
        }
    }

    extension Encoder {
        func text(_ value: some LosslessStringConvertible) throws {
            var container = singleValueContainer()
            try container.encode(value.description)
        }
    }
#endif
