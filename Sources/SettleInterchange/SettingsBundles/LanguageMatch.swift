import Settle

/// Which of the languages that there are a person gets.
///
/// Tags are compared as BCP 47 does, without regard to case, and with hyphens or underscores: `en_US` is `en-us`. The
/// names that folders had before are known: `English` is `en`.
package struct LanguageMatch {
    /// The names of the folders, by what they mean. Of two that mean the same, the first one counts.
    private let places: [String: Int]
    /// What each folder means, in their order.
    private let tags: [String]

    package init(_ names: [String]) {
        tags = names.map(Self.tag)
        places = Dictionary(zip(tags, tags.indices)) { first, _ in first }
    }

    /// The positions of the languages that a person may get, the best one first.
    ///
    /// For each wanted one: itself, then what it falls back to (`zh-Hant-TW`, `zh-Hant`, `zh`), then others of the same
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

    /// What a folder means; `nil` if it is for all languages.
    package func tag(at place: Int) -> String? { [Self.base, ""].contains(tags[place]) ? nil : tags[place] }

    private static let base = "base"

    private static func parts(_ tag: String) -> [Substring] { tag.split(separator: "-") }

    /// The tag and what it falls back to. Chinese of a region has a script, too.
    private static func candidates(for tag: String) -> [String] {
        let parts = parts(tag).prefix(8)
        var all = parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
        if parts.first == "zh", let script = script(of: tag) {
            let written = "zh-\(script)"
            if !all.contains(written) { all.insert(written, at: max(all.count - 1, min(1, all.count))) }
            // A program with one Chinese only has that of the mainland.
            if script == "hant" { all.removeAll { $0 == "zh" } }
            if script == "hans" { all.append("zh-cn") } else { all += ["zh-tw", "zh-hk"] }
        }
        return all
    }

    /// The script of a language that is written in several ones.
    private static func script(of tag: String) -> Substring? {
        let parts = parts(tag)
        if let written = parts.dropFirst().first(where: { $0.utf8.count == 4 }) { return written }
        guard parts.first == "zh" else { return nil }
        return parts.dropFirst().contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
    }

    /// `en-us` of `en_US`, and `en` of `English`.
    private static func tag(_ name: String) -> String {
        // A locale of a system, such as `de_DE.UTF-8@euro`, has more than a language.
        let tag = name.prefix { $0 != "." && $0 != "@" }.lowercased()
        let known = oldNames[tag] ?? tag
        return known.split { $0 == "-" || $0 == "_" }.joined(separator: "-")
    }

    /// The names of folders before there were tags.
    private static let oldNames = [
        "english": "en", "french": "fr", "german": "de", "italian": "it", "dutch": "nl", "japanese": "ja",
        "spanish": "es", "swedish": "sv", "danish": "da", "finnish": "fi", "norwegian": "no", "portuguese": "pt",
        "brazilian": "pt-br", "korean": "ko", "russian": "ru", "polish": "pl", "turkish": "tr", "czech": "cs",
        "hungarian": "hu", "greek": "el", "hebrew": "he", "arabic": "ar", "traditional chinese": "zh-hant",
        "simplified chinese": "zh-hans",
    ]
}
