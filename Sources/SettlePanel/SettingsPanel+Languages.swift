import SettleInterchange

extension SettingsPanel.Configuration {
    /// The panel's own words in the first language that has them, else in English.
    ///
    /// - Parameter texts: The language of the texts on the page, which are more than these words: the page is in it.
    func strings(for languages: [String], beside texts: String? = nil) -> PanelStrings {
        var candidates = languages
        if let texts {
            // Of the regions of that language a person may want one.
            candidates = languages.filter { Self.base(of: $0) == Self.base(of: texts) } + [texts] + languages
        }
        let found = candidates.lazy.compactMap(strings).first
        return PanelStrings(language: texts ?? found?.language ?? "en", tables: found?.tables ?? [])
    }

    /// The language of a tag without its region and script.
    private static func base(of tag: String) -> String { tag.prefix { $0 != "-" && $0 != "_" }.lowercased() }

    /// The program's own texts come before those of the panel. `nil` if there are none.
    private func strings(in language: String) -> PanelStrings? {
        var tag: String?
        var tables: [StringTable] = []
        let names = [language.lowercased(), Self.base(of: language)]
        for (index, name) in names.enumerated() where index == 0 || name != names[0] {
            if let given = translations.first(where: { $0.key.lowercased() == name }) {
                tag = tag ?? given.key
                tables.append(given.value)
            }
            if let shipped = PanelTranslations.shipped[name] {
                tag = tag ?? name
                tables.append(shipped)
            }
            if name == "en" { tag = tag ?? language }
        }
        return tag.map { PanelStrings(language: $0, tables: tables) }
    }
}
