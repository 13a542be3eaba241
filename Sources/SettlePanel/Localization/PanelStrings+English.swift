import SettleInterchange

/// The texts that stay in English on pages in other languages: the store's sentences, its rules and its sources.
extension PanelStrings {
    private var isEnglish: Bool { language.prefix { $0 != "-" && $0 != "_" }.lowercased() == "en" }

    /// Returns English text. On a page in another language it is marked, so that screen readers speak it as English,
    /// and its punctuation stays in position beside right-to-left text.
    func english(_ text: String) -> HTML {
        isEnglish || text.isEmpty ? HTML(text) : HTML("bdi", ["lang": "en", "dir": "ltr"]) { text }
    }

    /// Returns a sentence that is English unless it is one of the panel's own texts.
    func sentence(_ english: String) -> HTML {
        tables.lazy.compactMap { $0[english] }.first.map { HTML($0) } ?? self.english(english)
    }

}
