/// A text with placeholders: each `%@` is the next value, and `%2$@` the second one, wherever it is.
struct TextTemplate: Sendable {
    private enum Piece: Sendable {
        case text(Substring)
        case value(Int)
    }

    private var pieces: [Piece] = []

    /// The indices of the values that the text has.
    var values: Set<Int> { Set(pieces.compactMap { if case .value(let index) = $0 { index } else { nil } }) }

    init(_ text: String) {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        pieces = parts.prefix(1).map { .text($0) }
        var next = 0
        for part in parts.dropFirst() {
            if part.hasPrefix("@") {
                pieces += [.value(next), .text(part.dropFirst())]
                next += 1
            } else if let number = part.first?.wholeNumberValue, number > 0, part.dropFirst().hasPrefix("$@") {
                pieces += [.value(number - 1), .text(part.dropFirst(3))]
            } else {
                pieces += [.text("%"), .text(part)]
            }
        }
    }

    /// Returns the pieces of the text, with the values in their locations. A placeholder without a value is empty.
    func filled<Value>(with values: [Value], _ text: (Substring) -> Value) -> [Value] {
        pieces.compactMap { piece in
            switch piece {
            case .text(let part): text(part)
            case .value(let index): values.indices.contains(index) ? values[index] : nil
            }
        }
    }
}
