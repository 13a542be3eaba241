public import Settle

extension SettingsBundle {
    /// A value with its display name.
    public struct Choice: Sendable, Hashable {
        /// The name.
        public var title: String
        /// A shorter name, for the row of the pane; `nil` if there is none.
        public var shortTitle: String?
        /// The stored value.
        public var value: SettingValue

        /// Creates a choice.
        public init(title: String, shortTitle: String? = nil, value: SettingValue) {
            (self.title, self.shortTitle, self.value) = (title, shortTitle, value)
        }
    }
}

extension [SettingsBundle.Choice] {
    /// Returns the choice of exactly the value, or else the first one whose value is spelled differently.
    func first(matching value: SettingValue) -> SettingsBundle.Choice? {
        place(matching: value).map { self[$0] }
    }

    /// Returns the index of ``first(matching:)``.
    package func place(matching value: SettingValue) -> Int? {
        firstIndex { $0.value == value } ?? firstIndex { $0.value.isLoosely(value) }
    }

    var sortedByTitle: Self {
        enumerated().sorted { left, right in
            let (first, second) = (left.element.title.lowercased(), right.element.title.lowercased())
            return Name(first) == Name(second) ? left.offset < right.offset : first.precedesByBytes(second)
        }
        .map(\.element)
    }
}

extension SettingValue {
    /// Returns whether both are the same number, however they are spelled, or the same value otherwise.
    func isLoosely(_ other: SettingValue) -> Bool {
        if let number = looseNumber { return number == other.looseNumber }
        if case (.string(let text), .string(let otherText)) = (self, other) { return Name(text) == Name(otherText) }
        return self == other
    }

    /// The number that it is, or that its text spells. True is 1, and false is 0, as in `UserDefaults`.
    var looseNumber: DecimalNumber? {
        switch self {
        case .bool(let bool): DecimalNumber(bool ? "1" : "0")
        case .integer(let integer): DecimalNumber("\(integer)")
        case .real(let real): real.isFinite ? DecimalNumber("\(real)") : nil
        case .number(let literal): DecimalNumber(literal)
        case .string(let text): Self.number(spelledIn: text)
        case .null, .date, .data, .array, .dictionary: nil
        }
    }

    /// The nearest finite number to the one that it is, or that its text spells.
    package var looseDouble: Double? {
        guard let number = looseNumber else { return nil }
        let digits = number.digits.map { String($0) }.joined()
        let spelling = "\(number.isNegative ? "-" : "")\(digits.isEmpty ? "0" : digits)e\(number.exponent)"
        return Double(spelling).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Reads a number. Users write `+1`, `007` and `.5`, too.
    private static func number(spelledIn text: String) -> DecimalNumber? {
        guard text.utf8.count <= 64 else { return nil }
        var rest = Array(text.utf8)[...]
        rest = rest.drop(while: \.isSpace)
        while rest.last?.isSpace == true { rest.removeLast() }
        var literal: [UInt8] = []
        if rest.first == UInt8(ascii: "-") { literal.append(UInt8(ascii: "-")) }
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard let first = rest.first, first.isDigit || first == UInt8(ascii: ".") else { return nil }
        let zeros = rest.prefix { $0 == UInt8(ascii: "0") }.count
        rest = rest.dropFirst(zeros)
        if rest.first?.isDigit != true {
            guard zeros > 0 || rest.dropFirst().first?.isDigit == true else { return nil }
            literal.append(UInt8(ascii: "0"))
        }
        return DecimalNumber(String(decoding: literal + rest, as: UTF8.self))
    }
}
