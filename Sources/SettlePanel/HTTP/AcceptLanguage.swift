import SettleHTTP

/// The field `Accept-Language` of a request, as in RFC 9110.
enum AcceptLanguage {
    /// Returns the languages in order of preference: by quality, then by position.
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
