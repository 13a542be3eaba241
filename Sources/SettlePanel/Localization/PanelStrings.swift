import Settle
package import SettleInterchange

/// The panel's own texts in the user's language.
struct PanelStrings: Sendable {
    /// The language, such as `en` or `pt-BR`.
    let language: String
    /// The tables of texts. The first one that has a text counts.
    let tables: [StringTable]
    let isRightToLeft: Bool
    /// The tables of the program's declared texts. The first one that has a text counts.
    var texts: [StringTable] = []
    /// The language of the declared texts, if known.
    var languageOfTexts: String?

    init(language: String, tables: [StringTable]) {
        (self.language, self.tables) = (language, tables)
        let code = language.split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map { $0.lowercased() } ?? ""
        isRightToLeft = Self.rightToLeft.contains(code)
    }

    /// Languages whose usual script goes from right to left.
    private static let rightToLeft: Set = ["ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"]

    /// Returns the text for a key, which is the English text, as in `.strings` files.
    func callAsFunction(_ english: String) -> String { tables.lazy.compactMap { $0[english] }.first ?? english }

    /// Returns a text of a declaration in the user's language.
    func declared(_ text: String) -> String { texts.lazy.compactMap { $0[text] }.first ?? text }

    /// Returns a text with a value in place of each `%@`, or of each `%1$@`, `%2$@` and so on by its number.
    func callAsFunction(_ english: String, _ values: String...) -> String { self(english, values) }

    func callAsFunction(_ english: String, _ values: [String]) -> String {
        template(for: english).filled(with: values) { String($0) }.joined()
    }

    /// Returns the same with pieces of a page.
    func html(_ english: String, _ values: HTML...) -> HTML { html(english, values) }

    func html(_ english: String, _ values: [HTML]) -> HTML {
        HTML(template(for: english).filled(with: values) { HTML(String($0)) })
    }

    /// Returns the first translation with the placeholders of the English text, or that text itself: with others, a
    /// sentence would lack a value.
    private func template(for english: String) -> TextTemplate {
        let original = TextTemplate(english)
        let translations = tables.lazy.compactMap { $0[english] }.map { TextTemplate($0) }
        return translations.first { $0.values == original.values } ?? original
    }

    /// Returns the name of a domain. A program's own domain has the name that the program gave it.
    func name(of domain: DomainName) -> String {
        Self.domains.contains(domain) ? self(domain.description) : domain.description
    }

    func name(of origin: ValueOrigin) -> String { self(origin.rawValue) }

    private static let domains: Set<DomainName> = [
        .managed, .overrides, .arguments, .environment, .secrets, .host, .application, .global, .system, .language,
        .registration, .declaration,
    ]
}

/// The languages that the panel includes besides English.
package enum PanelTranslations {
    /// The tables by language tag in lowercase.
    package static let shipped = ["ar": table(PanelStrings.arabic), "de": table(PanelStrings.german)]

    private static func table(_ texts: KeyValuePairs<String, String>) -> StringTable {
        StringTable(texts.map { StringTable.Entry(key: $0.key, value: $0.value) })
    }
}
