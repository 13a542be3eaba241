/// The languages that a browser asks for.
enum LanguageList {
    /// In their order of preference, as in RFC 9110: by quality, then by place.
    static func languages(_ fields: [String]) -> [String] {
        var ranked: [(language: String, quality: Double)] = []
        for part in fields.joined(separator: ",").split(separator: ",").prefix(32) {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let language = pieces.first, !language.isEmpty, language != "*" else { continue }
            let quality = pieces.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > 0 { ranked.append((language, quality)) }
        }
        return ranked.enumerated()
            .sorted { ($0.element.quality, -$0.offset) > ($1.element.quality, -$1.offset) }.map(\.element.language)
    }
}

extension SettingsPanel.Configuration {
    /// The panel's own words in the first language that has them, else in English.
    ///
    /// - Parameter texts: The language of the texts on the page, which are more than these words: the page is in it.
    func words(for languages: [String], beside texts: String? = nil) -> PanelWords {
        let found = (texts.map { [$0] + languages } ?? languages).lazy.compactMap(words).first
        return PanelWords(language: texts ?? found?.language ?? "en", table: found?.table)
    }

    /// `nil` if there are none.
    private func words(in language: String) -> PanelWords? {
        let names = [language, String(language.prefix { $0 != "-" })].map { $0.lowercased() }
        for name in names {
            if let found = translations.first(where: { $0.key.lowercased() == name }) {
                return PanelWords(language: found.key, table: found.value)
            }
            if name == "en" { return PanelWords(language: language, table: nil) }
        }
        return nil
    }
}
