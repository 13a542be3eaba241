import Settle

extension String {
    /// Returns the text with its invisible characters escaped, so that it is one line and reads in one direction.
    func escaped(_ escape: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        return unicodeScalars.reduce(into: "") { $0 += $1.isInvisible ? escape($1) : String($1) }
    }
}

extension Unicode.Scalar {
    /// Whether the character changes how a line is shown, or is not shown at all: line breaks, control characters,
    /// and marks for joining or for the direction of text.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension SettingValue {
    /// The value as JSON on one line; `null` if JSON can't spell it, such as a number that is not finite.
    var jsonText: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
