import Settle

/// A declared setting being converted to a specifier.
struct DescribedSetting {
    private let entry: SettingsSchema.Entry
    private let key: String
    private let name: String
    /// The properties that the specifier can't express.
    private(set) var remarks: [String] = []

    init(_ entry: SettingsSchema.Entry, key: String, name: String) {
        (self.entry, self.key, self.name) = (entry, key, name)
    }

    /// - Returns: `nil` if the setting has no form.
    mutating func specifier() -> SettingsBundle.Specifier? {
        guard hasForm else {
            remarks.append("“\(entry.key)” is \(entry.shape.kind.words), which has no form. It is left out.")
            return nil
        }
        guard entry.access != .owner || !entry.isSecret else {
            remarks.append("“\(entry.key)” is a secret that only its owner may write. It is left out.")
            return nil
        }
        let found = entry.access == .owner ? title() : control()
        if entry.shape.isOptional, entry.access != .owner {
            remarks.append("“\(entry.key)” may be absent, which can't be chosen.")
        }
        return SettingsBundle.Specifier(found.kind, key: key, title: shownTitle, defaultValue: found.value)
    }

    private typealias Control = (kind: SettingsBundle.Specifier.Kind, value: SettingValue?)

    private var hasForm: Bool {
        switch entry.shape.kind {
        case .array, .dictionary, .data: false
        case .any: choices != nil
        case .bool, .integer, .number, .string, .date, .url, .uuid, .duration: true
        }
    }

    /// Returns the specifier of a setting that only its owner may write.
    private func title() -> Control {
        let shown = entry.defaultValue.flatMap { $0.isShownAsItIs ? $0 : Self.text(of: $0).map(SettingValue.string) }
        return (.titleValue(SettingsBundle.TitleValue(choices: choices ?? [])), shown ?? .string(""))
    }

    private mutating func control() -> Control {
        if entry.isSecret { return field() }
        let value = entry.defaultValue.flatMap { $0 == .null ? nil : $0 }
        if let choices { return (.multiValue(SettingsBundle.MultiValue(choices: choices)), value) }
        switch entry.shape.kind {
        case .bool: return (.toggle(SettingsBundle.Toggle()), value)
        case .number:
            guard let bounds, let minimum = bounds.lower.looseDouble, let maximum = bounds.upper.looseDouble,
                minimum < maximum
            else { return field() }
            return (.slider(SettingsBundle.Slider(minimum: minimum, maximum: maximum)), value)
        default: return field()
        }
    }

    private mutating func field() -> Control {
        var field = SettingsBundle.TextField(isSecure: entry.isSecret, autocorrection: .no)
        switch entry.shape.kind {
        case .string: if !entry.isSecret { field.autocorrection = .byDefault }
        case .integer, .number:
            field.keyboard = isNatural ? .numberPad : .numbersAndPunctuation
            remarks.append("“\(entry.key)” is a number, of which a field makes text.")
        case .date:
            field.keyboard = .numbersAndPunctuation
            remarks.append("“\(entry.key)” is a date, of which a field makes text in ISO 8601.")
        case .url: field.keyboard = .url
        default: break
        }
        let value = entry.isSecret ? nil : entry.defaultValue.flatMap(Self.text)
        return (.textField(field), value.map(SettingValue.string))
    }
}

// MARK: The declaration

extension DescribedSetting {
    /// The maximum number of values in a range that become choices.
    private static let rangeLimit = 21

    /// The choices; `nil` if other values are allowed.
    private var choices: [SettingsBundle.Choice]? {
        let lists = entry.rules.compactMap(\.cases) + [entry.shape.cases].compactMap(\.self)
        let isScalar = ![.array, .dictionary, .data].contains(entry.shape.kind)
        if isScalar, let list = lists.first {
            // A value must be on each of the lists.
            let values = list.filter { value in value != .null && lists.allSatisfy { $0.contains(value) } }
            if !values.isEmpty, values.allSatisfy(\.isShownAsItIs) {
                let titles = declaredTitles
                return values.map { SettingsBundle.Choice(title: titles[$0] ?? Self.title(of: $0), value: $0) }
            }
        }
        guard entry.shape.kind == .integer, let (first, last) = wholeBounds, first <= last,
            last.subtractingReportingOverflow(first).overflow == false, last - first < Self.rangeLimit
        else { return nil }
        return (first...last).map { SettingsBundle.Choice(title: "\($0)", value: .integer($0)) }
    }

    private var declaredTitles: [SettingValue: String] {
        var titles: [SettingValue: String] = [:]
        for rule in entry.rules { titles.merge(zip(rule.cases ?? [], rule.titles ?? [])) { _, last in last } }
        return titles
    }

    /// The narrowest range that follows from the rules and the type.
    private var bounds: (lower: SettingValue, upper: SettingValue)? {
        let ranges = entry.rules.filter { $0.kind == .range }
        let lower = ranges.compactMap { $0.lowerBound?.value }.max { isLess($0, $1) }
        let upper = ranges.compactMap { $0.upperBound?.value }.min { isLess($0, $1) }
        guard let lower, let upper else { return nil }
        return (lower, upper)
    }

    private func isLess(_ left: SettingValue, _ right: SettingValue) -> Bool {
        (left.looseDouble ?? 0) < (right.looseDouble ?? 0)
    }

    private var wholeBounds: (first: Int64, last: Int64)? {
        guard let bounds, case (.integer(let first), .integer(var last)) = bounds else { return nil }
        let isIncluded = entry.rules.allSatisfy { rule in
            rule.upperBound.map { $0.value != .integer(last) || $0.isIncluded } ?? true
        }
        if !isIncluded {
            guard last > .min else { return nil }
            last -= 1
        }
        return (first, last)
    }

    /// Whether each value is an integer, and none is below zero.
    private var isNatural: Bool {
        let least = [entry.shape.minimum].compactMap(\.self) + entry.rules.compactMap { $0.lowerBound?.value }
        return entry.shape.kind == .integer && least.contains { ($0.looseDouble ?? -1) >= 0 }
    }
}

// MARK: Texts

extension DescribedSetting {
    private var shownTitle: String {
        let title = entry.title ?? Self.words(of: name)
        return entry.unit.map { "\(title) (\($0))" } ?? title
    }

    private static func title(of value: SettingValue) -> String {
        if case .string(let text) = value { words(of: text) } else { text(of: value) ?? "" }
    }

    /// Returns the words of a name: `Attempt count` for `attemptCount`.
    static func words(of name: String) -> String {
        var words = ""
        var isAfterLowercase = false
        for character in name {
            if isAfterLowercase, character.isUppercase {
                words += " " + character.lowercased()
            } else {
                words += words.isEmpty ? character.uppercased() : character == "_" ? " " : String(character)
            }
            isAfterLowercase = character.isLowercase
        }
        return words
    }

    /// Returns the text of a value with one line; `nil` for null and others.
    private static func text(of value: SettingValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let integer): "\(integer)"
        case .real(let real): Int64(exactly: real).map { "\($0)" } ?? "\(real)"
        case .number(let literal): literal
        case .bool(let bool): bool ? "true" : "false"
        case .date(let date): DateConversion.text(of: date)
        case .null, .data, .array, .dictionary: nil
        }
    }
}

extension SettingValue {
    /// Whether a property list can hold it, and a user can read it.
    fileprivate var isShownAsItIs: Bool {
        switch self {
        case .bool, .integer, .string: true
        case .real(let real): real.isFinite
        case .null, .number, .date, .data, .array, .dictionary: false
        }
    }
}

extension ValueShape.Kind {
    /// The kind of value, as a phrase for sentences.
    fileprivate var words: String {
        switch self {
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .data: "data"
        default: "a value of its own coder"
        }
    }
}
