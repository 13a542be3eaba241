import Settle

/// Selects the languages for a user from the available ones.
///
/// Tags are compared as in BCP 47, without regard to case, and with hyphens or underscores: `en_US` is `en-us`. The
/// names that folders formerly had are recognized: `English` is `en`.
package struct LanguageMatch {
    /// The indices of the folders, by their languages. Of two with the same language, the first one counts.
    private let places: [String: Int]
    /// The language of each folder, in order.
    private let tags: [String]

    package init(_ names: [String]) {
        tags = names.map(Self.tag)
        places = Dictionary(zip(tags, tags.indices)) { first, _ in first }
    }

    /// Returns the indices of the languages that suit a user, the best one first.
    ///
    /// For each wanted language: itself, then its fallbacks (`zh-Hant-TW`, `zh-Hant`, `zh`), then others of the same
    /// language and script, such as `en-GB` for `en-AU`. Last of all are `Base` and the texts without a language.
    package func order(for wanted: [String]) -> [Int] {
        var found: [Int] = []
        var seen: Set<Int> = []
        func add(_ place: Int?) {
            if let place, seen.insert(place).inserted { found.append(place) }
        }
        for tag in wanted.prefix(64).map(Self.tag) where !tag.isEmpty && tag != Self.base {
            let candidates = Self.candidates(for: tag)
            for candidate in candidates { add(places[candidate]) }
            guard let language = Self.parts(tag).first else { continue }
            for (place, other) in tags.enumerated()
            where Self.parts(other).first == language && Self.script(of: other) == Self.script(of: tag) { add(place) }
        }
        add(places[Self.base])
        add(places[""])
        return found
    }

    /// Returns the language of a folder; `nil` if it is for all languages.
    package func tag(at place: Int) -> String? { [Self.base, ""].contains(tags[place]) ? nil : tags[place] }

    private static let base = "base"

    private static func parts(_ tag: String) -> [Substring] { tag.split(separator: "-") }

    /// Returns the tag and its fallbacks. Chinese of a region has a script, too.
    private static func candidates(for tag: String) -> [String] {
        let parts = parts(tag).prefix(8)
        var all = parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
        if parts.first == "zh", let script = script(of: tag) {
            let written = "zh-\(script)"
            if !all.contains(written) { all.insert(written, at: max(all.count - 1, min(1, all.count))) }
            // A program with only one Chinese has that of the mainland.
            if script == "hant" { all.removeAll { $0 == "zh" } }
            if script == "hans" { all.append("zh-cn") } else { all += ["zh-tw", "zh-hk"] }
        }
        return all
    }

    /// Returns the script of a language that is written in several ones.
    private static func script(of tag: String) -> Substring? {
        let parts = parts(tag)
        if let written = parts.dropFirst().first(where: { $0.utf8.count == 4 }) { return written }
        guard parts.first == "zh" else { return nil }
        return parts.dropFirst().contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
    }

    /// Returns the tag of a name: `en-us` for `en_US`, and `en` for `English`.
    private static func tag(_ name: String) -> String {
        // A system's locale, such as `de_DE.UTF-8@euro`, contains more than a language.
        let tag = name.prefix { $0 != "." && $0 != "@" }.lowercased()
        let known = oldNames[tag] ?? tag
        return known.split { $0 == "-" || $0 == "_" }.joined(separator: "-")
    }

    /// The names of folders before tags were used.
    private static let oldNames = [
        "english": "en", "french": "fr", "german": "de", "italian": "it", "dutch": "nl", "japanese": "ja",
        "spanish": "es", "swedish": "sv", "danish": "da", "finnish": "fi", "norwegian": "no", "portuguese": "pt",
        "brazilian": "pt-br", "korean": "ko", "russian": "ru", "polish": "pl", "turkish": "tr", "czech": "cs",
        "hungarian": "hu", "greek": "el", "hebrew": "he", "arabic": "ar", "traditional chinese": "zh-hant",
        "simplified chinese": "zh-hans",
    ]
}
