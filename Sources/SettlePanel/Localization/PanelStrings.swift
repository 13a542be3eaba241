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

    /// Returns a text with a value in place of each `%@`.
    func callAsFunction(_ english: String, _ values: String...) -> String { self(english, values) }

    func callAsFunction(_ english: String, _ values: [String]) -> String {
        let parts = self(english).split(separator: "%@", maxSplits: values.count, omittingEmptySubsequences: false)
        return zip(parts, values + [""]).reduce(into: "") { $0 += $1.0 + $1.1 }
    }

    /// Returns a text with a piece of a page in place of each `%@`.
    func html(_ english: String, _ values: HTML...) -> HTML { html(english, values) }

    func html(_ english: String, _ values: [HTML]) -> HTML {
        let parts = self(english).split(separator: "%@", maxSplits: values.count, omittingEmptySubsequences: false)
        return HTML(zip(parts, values + [HTML()]).flatMap { [HTML(String($0)), $1] })
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
