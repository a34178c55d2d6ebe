#if hasFeature(Embedded)
    // As in TrolleyJournal, for files that don't import it.

    protocol Codable {}
    protocol CodingKey {}
#endif
