import SettleHTTP

/// A search of the settings, as its address states it.
struct SettingsQuery: Sendable, Hashable {
    let text: String
    /// Whether it finds only settings that are marked as changed.
    var isChangedOnly = false
    /// The maximum number of results on the page.
    var limit = Self.step
    /// The different words of the text, in lowercase and in order.
    let words: [String]

    /// The number of results on a page, and of those that “Show more” adds.
    static let step = 50
    /// The maximum number of Unicode scalars and of words that count: each word is compared with each text.
    private static let limits = (scalars: 200, words: 16)

    /// Creates the search for the first 16 different words in the first 200 Unicode scalars of a text.
    init(text: String) {
        self.text = String(text.unicodeScalars.prefix(Self.limits.scalars))
        var known: Set<String> = []
        let words = self.text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        self.words = Array(words.filter { known.insert($0).inserted }.prefix(Self.limits.words))
    }

    /// Reads the fields of an address or of a form; `nil` if they are not those of a search.
    init?(_ fields: FormFields) {
        let isChangedOnly = fields["changed"] == "1"
        guard isChangedOnly || fields["q"] != nil else { return nil }
        self.init(text: fields["q"] ?? "")
        self.isChangedOnly = isChangedOnly
        limit = min(max(fields["hits"].flatMap { Int($0) } ?? Self.step, Self.step), 100_000)
    }

    /// The fields that state it in an address or a form.
    var fields: [(String, String)] {
        var fields = [("q", text)]
        if isChangedOnly { fields.append(("changed", "1")) }
        if limit > Self.step { fields.append(("hits", "\(limit)")) }
        return fields
    }

    /// Whether it asks for nothing.
    var isEmpty: Bool { words.isEmpty && !isChangedOnly }

    /// The same search with more results.
    var withMore: SettingsQuery {
        var query = self
        query.limit += Self.step
        return query
    }

    /// The search for the same words, restricted to changed settings if this one is not.
    var withOtherRestriction: SettingsQuery {
        var query = SettingsQuery(text: text)
        query.isChangedOnly = !isChangedOnly
        return query
    }

    /// Returns whether each word occurs in one of the texts, whatever the case.
    func isFound(in texts: [String]) -> Bool {
        let texts = texts.map { $0.lowercased() }
        return words.allSatisfy { word in texts.contains { $0.contains(word) } }
    }

    /// Returns a text in which the words are marked.
    func marked(_ text: String) -> HTML {
        // By character: the lowercase form of a text may have another length.
        let characters = Array(text)
        let isFound = isFound(at: characters.map { $0.lowercased() })
        var parts: [HTML] = []
        var start = 0
        while start < characters.count {
            let end = isFound[start...].firstIndex { $0 != isFound[start] } ?? characters.count
            let part = String(characters[start..<end])
            parts.append(isFound[start] ? HTML("mark") { part } : HTML(part))
            start = end
        }
        return HTML(parts)
    }

    /// Returns for each character whether it is part of one of the words.
    private func isFound(at characters: [String]) -> [Bool] {
        var isFound = Array(repeating: false, count: characters.count)
        for word in words {
            let word = word.map { String($0) }
            var start = 0
            while start + word.count <= characters.count {
                let range = start..<(start + word.count)
                if characters[range].elementsEqual(word) { for index in range { isFound[index] = true } }
                start += 1
            }
        }
        return isFound
    }
}
