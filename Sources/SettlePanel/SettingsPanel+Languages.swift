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
}
