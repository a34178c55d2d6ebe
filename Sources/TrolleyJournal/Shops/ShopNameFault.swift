#if !hasFeature(Embedded)
    /// Why a text is no name of a shop.
    package enum ShopNameFault: Hashable, Sendable {
        case empty
        case severalLines

        /// - Returns: nil for a name of a shop.
        package init?(of name: String) {
            if name.allSatisfy(\.isWhitespace) {
                self = .empty
            } else if name.contains(where: \.isNewline) {
                self = .severalLines
            } else {
                return nil
            }
        }
    }
#endif
