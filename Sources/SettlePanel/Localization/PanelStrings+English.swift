import SettleInterchange

/// What stays in English on pages in other languages: the sentences of the store, its rules and its places.
extension PanelStrings {
    private var isEnglish: Bool { language.prefix { $0 != "-" && $0 != "_" }.lowercased() == "en" }

    /// English text. Where the page is in another language it is marked, so that screen readers speak it as English,
    /// and that its punctuation stays where it belongs beside text from right to left.
    func english(_ text: String) -> HTML {
        isEnglish || text.isEmpty ? HTML(text) : HTML("bdi", ["lang": "en", "dir": "ltr"]) { text }
    }

    /// A sentence that is English unless it is one of the panel's own words.
    func sentence(_ english: String) -> HTML {
        tables.lazy.compactMap { $0[english] }.first.map { HTML($0) } ?? self.english(english)
    }

    /// A text of the program, of which nothing tells the language: it has its own direction.
    func isolated(_ text: String) -> HTML { isRightToLeft && !text.isEmpty ? HTML("bdi") { text } : HTML(text) }
}
