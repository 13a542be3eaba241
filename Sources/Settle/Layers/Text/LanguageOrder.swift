/// The languages of a user, the preferred one first.
///
/// Each language is followed by its fallbacks, before the next one, as gettext and Apple's bundles try them: `pt-BR,
/// en-GB` becomes `pt-BR, pt, en-GB, en`. Repeated languages are left out.
enum LanguageOrder {
    /// - Parameters:
    ///   - preferred: A domain's value for `AppleLanguages`; the environment counts only if that is empty.
    ///   - environment: `LANGUAGE` has several languages, separated by colons. Otherwise the first of `LC_ALL`,
    ///     `LC_MESSAGES` and `LANG` that is not empty has one. If that one is `C` or `POSIX`, the user wants no
    ///     language, even if `LANGUAGE` is set.
    static func languages(preferred: [String]?, environment: [String: String]) -> [String] {
        if let preferred, !preferred.isEmpty { return withFallbacks(preferred) }
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        if let locale, language(of: locale) == nil { return [] }
        let list = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
        return withFallbacks(list.isEmpty ? locale.map { [$0] } ?? [] : list)
    }

    private static func withFallbacks(_ locales: [String]) -> [String] {
        var seen: Set<String> = []
        return locales.lazy.compactMap(language).flatMap(withFallbacks).filter { seen.insert($0).inserted }
    }

    /// `zh-Hant-TW`, `zh-Hant`, `zh`
    private static func withFallbacks(_ language: String) -> [String] {
        let parts = language.split(separator: "-").prefix(mostParts)
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }

    /// Languages do not have more parts, and each fallback is a text of its own.
    private static let mostParts = 8

    /// `pt-BR` for `pt_BR.UTF-8@euro`; `nil` for a locale without a language.
    private static func language(of locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }.withoutOuterSpace
        let language = name.replacing("_", with: "-").split(separator: "-").joined(separator: "-")
        return ["", "C", "POSIX"].contains(language) ? nil : language
    }
}
