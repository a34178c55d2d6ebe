#if hasFeature(Embedded)
    // Embedded Swift has none of these. Here they ask for nothing, so that types are declared alike on every platform;
    // `JSONReader` and `JSONWriter` in TrolleyWire read and write what crosses the boundary of the module.

    public protocol Codable {}
    public protocol CodingKey {}
    public protocol CodingKeyRepresentable {}
#endif
