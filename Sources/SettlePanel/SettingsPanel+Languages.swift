import SettleInterchange

extension SettingsPanel.Configuration {
    /// Returns the panel's own texts in the first language that has them, else in English.
    ///
    /// - Parameter texts: The language of the other texts on the page. They outnumber these, so the page is in that
    ///   language.
    func strings(for languages: [String], beside texts: String? = nil) -> PanelStrings {
        // Among the regions of that language, a user may prefer one.
        let nearest = texts.map { texts in
            languages.filter { !LanguageMatch([texts]).order(for: [$0]).isEmpty } + [texts]
        }
        let shipped = PanelTranslations.shipped
        // English has no table: its texts are the keys.
        let names = Set(translations.keys).union(shipped.keys).union(["en"]).sorted()
        let match = LanguageMatch(names)
        let order = ((nearest ?? []) + languages).lazy.map { match.order(for: [$0]) }.first { !$0.isEmpty } ?? []
        // The program's own texts take precedence over those of the panel.
        return PanelStrings(
            language: texts ?? order.first.flatMap(match.tag) ?? "en",
            tables: order.map { names[$0] }.flatMap { [translations[$0], shipped[$0]].compactMap(\.self) })
    }

    /// Returns the texts of a panel whose settings are declared: the declared texts in the first language that has
    /// them, and the panel's own texts beside them.
    func declaredStrings(for languages: [String]) -> PanelStrings {
        guard !declaredTexts.isEmpty else { return strings(for: languages) }
        let names = Set(declaredTexts.keys).union(["en"]).sorted()
        let match = LanguageMatch(names)
        let order = languages.lazy.map { match.order(for: [$0]) }.first { !$0.isEmpty } ?? []
        let language = order.first.flatMap(match.tag) ?? "en"
        var found = strings(for: languages, beside: language)
        (found.texts, found.languageOfTexts) = (order.compactMap { declaredTexts[names[$0]] }, language)
        return found
    }
}
