/// A sentence with places, `{}`, in both languages.
struct Template: Sendable {
    private let english: [String]
    private let german: [String]

    init(_ english: String, _ german: String) {
        self.english = english.components(around: "{}")
        self.german = german.components(around: "{}")
    }

    /// nil: it is another sentence.
    func german(of text: String) -> String? {
        guard let first = english.first, let last = english.last, text.hasPrefix(first) else { return nil }
        if english.count == 1 { return text == first ? german[0] : nil }
        var rest = text.dropFirst(first.count)
        var result = german[0]
        for (index, part) in english.enumerated().dropFirst() {
            let end = index == english.count - 1
            guard end ? rest.hasSuffix(last) : true,
                let range = end
                    ? rest.index(rest.endIndex, offsetBy: -part.count)..<rest.endIndex : rest.firstRange(of: part)
            else { return nil }
            result += rest[..<range.lowerBound].requoted + german[index]
            rest = rest[range.upperBound...]
        }
        return result
    }
}

extension String {
    fileprivate func components(around place: String) -> [String] {
        split(separator: place, omittingEmptySubsequences: false).map(String.init)
    }
}

extension Substring {
    /// The quotation marks and words between the values of a list: `on' and 'off`.
    fileprivate var requoted: String {
        String(self).replacing("', '", with: "“, „").replacing("' and '", with: "“ und „")
            .replacing("' or '", with: "“ oder „")
    }
}
