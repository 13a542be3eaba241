import SettleInterchange

extension SettingsPanel.Configuration {
    /// The panel's own texts in the first language that has them, else in English.
    ///
    /// - Parameter texts: The language of the other texts on the page, which are more than these: the page is in it.
    func strings(for languages: [String], beside texts: String? = nil) -> PanelStrings {
        // Of the regions of that language a user may want one.
        let nearest = texts.map { texts in
            languages.filter { !LanguageMatch([texts]).order(for: [$0]).isEmpty } + [texts]
        }
        let shipped = PanelTranslations.shipped
        // English has no table: its texts are the keys.
        let names = Set(translations.keys).union(shipped.keys).union(["en"]).sorted()
        let match = LanguageMatch(names)
        let order = ((nearest ?? []) + languages).lazy.map { match.order(for: [$0]) }.first { !$0.isEmpty } ?? []
        // The program's own texts come before those of the panel.
        return PanelStrings(
            language: texts ?? order.first.flatMap(match.tag) ?? "en",
            tables: order.map { names[$0] }.flatMap { [translations[$0], shipped[$0]].compactMap(\.self) })
    }
}
