/// The reasons why the candidates for a text could not be used.
struct TextFailures {
    private var refusal: (any Error)?
    private var best: (error: any Error, rank: [Int])?

    /// Whether a candidate had the right type.
    var isRefused: Bool { refusal != nil }

    /// Records that a decoded value was not accepted. The first reason counts.
    mutating func refuse(_ error: any Error) {
        refusal = refusal ?? error
    }

    /// Records that a candidate could not be decoded.
    mutating func add(_ error: any Error, decoding candidate: SettingValue) {
        let rank = rank(of: error, candidate)
        if let best, !best.rank.lexicographicallyPrecedes(rank) { return }
        best = (error, rank)
    }

    var mostTelling: any Error {
        refusal ?? best?.error ?? SettingCodingError(expected: "a value", found: "none")
    }

    /// Returns how informative an error is: the more, the further the decoding got. For a single value, the error of a
    /// number or a boolean is more informative than that of the text, and that of a list least.
    private func rank(of error: any Error, _ candidate: SettingValue) -> [Int] {
        let path = (error as? SettingCodingError)?.path ?? []
        let kind =
            switch candidate {
            case .array, .dictionary: 0
            case .string: 1
            default: 2
            }
        return [path.isEmpty ? 0 : 1, path.first.flatMap { Int($0) } ?? 0, kind]
    }
}
