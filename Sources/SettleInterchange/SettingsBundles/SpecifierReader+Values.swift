import Settle

/// The values of a specifier, each with the problems found in it.
extension SpecifierReader {
    /// Reads a text; numbers are texts, too.
    mutating func text(_ name: String) -> String? {
        guard let value = entries[name] else { return nil }
        if case .string(let text) = value { return text }
        if let text = SettingCoercion.string.convert(value) { return text }
        find(.wrongValue, "“\(name)” is not a text. It is left out.")
        return nil
    }

    /// Reads the key, if there is one.
    mutating func key() -> String? {
        guard let key = text("Key"), !key.isEmpty else { return nil }
        return key
    }

    mutating func requiredKey() -> String? {
        let key = key()
        if key == nil { find(.missingKey, "“Key” is missing. The specifier is left out.") }
        return key
    }

    mutating func bool(_ name: String) -> Bool {
        guard let value = entries[name] else { return false }
        if let bool = SettingCoercion.bool.convert(value) { return bool }
        find(.wrongValue, "“\(name)” is neither true nor false. It is taken as false.")
        return false
    }

    mutating func number(_ name: String, otherwise: Double) -> Double {
        guard let value = entries[name] else {
            find(.missingKey, "“\(name)” is missing. It is taken as \(otherwise).")
            return otherwise
        }
        if let number = value.looseDouble { return number }
        find(.wrongValue, "“\(name)” is not a number. It is taken as \(otherwise).")
        return otherwise
    }

    mutating func scalar(_ name: String) -> SettingValue? {
        guard let value = entries[name] else { return nil }
        if value.isScalar { return value }
        find(.wrongValue, "“\(name)” is an array or a dictionary. It is left out.")
        return nil
    }

    mutating func named<Kind: RawRepresentable<String>>(_ name: String, otherwise: Kind) -> Kind {
        guard let text = text(name) else { return otherwise }
        if let kind = Kind(rawValue: text) { return kind }
        find(
            .wrongValue,
            "“\(name)” can't be “\(Self.shortened(text))”. It is taken as “\(otherwise.rawValue)”.")
        return otherwise
    }

    mutating func idioms() -> [SettingsBundle.Idiom]? {
        let name = "SupportedUserInterfaceIdioms"
        switch entries[name] {
        case nil: return nil
        // The old text form, and users, write a single one without an array.
        case .string(let text)?: return [SettingsBundle.Idiom(rawValue: text)]
        case .array(let elements)?:
            let texts = elements.prefix(16).compactMap { SettingCoercion.string.convert($0) }
            if texts.count == elements.count { return texts.map(SettingsBundle.Idiom.init) }
            find(.wrongValue, "“\(name)” is not an array of names. It is left out.")
            return nil
        case _?:
            find(.wrongValue, "“\(name)” is not an array of names. It is left out.")
            return nil
        }
    }

    mutating func array(_ name: String) -> [SettingValue]? {
        guard let value = entries[name] else { return nil }
        if case .array(let elements) = value { return elements }
        find(.wrongValue, "“\(name)” is not an array. It is left out.")
        return nil
    }

    /// Reads the values with their titles, as far as both are there.
    mutating func choices() -> [SettingsBundle.Choice] {
        let values = array("Values") ?? []
        let titles = array("Titles") ?? []
        let shortTitles = array("ShortTitles")
        if values.count != titles.count {
            let kept = min(values.count, titles.count)
            find(
                .countMismatch,
                "There are \(values.count) values and \(titles.count) titles. The first \(kept) are taken.")
        }
        if let shortTitles, shortTitles.count != values.count {
            find(
                .countMismatch,
                "There are \(values.count) values and \(shortTitles.count) short titles. "
                    + "Values without one have their title.")
        }
        if min(values.count, titles.count) > BundleLimits.choices {
            find(.limit, "There are more than \(BundleLimits.choices) values. The others are left out.")
        }
        var choices: [SettingsBundle.Choice] = []
        for (place, (value, title)) in zip(values, titles).prefix(BundleLimits.choices).enumerated() {
            guard value.isScalar, let title = SettingCoercion.string.convert(title) else {
                find(.wrongValue, "Value \(place) is not a single value, or its title is not a text. It is left out.")
                continue
            }
            let short = shortTitles.flatMap { $0.indices.contains(place) ? $0[place] : nil }
            choices.append(
                SettingsBundle.Choice(
                    title: title, shortTitle: short.flatMap { SettingCoercion.string.convert($0) }, value: value))
        }
        return choices
    }

    /// Returns a text of a bundle, shortened for a finding.
    static func shortened(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(40).map { $0.value < 0x20 ? "?" : String($0) }.joined()
        return shown.utf8.count < text.utf8.count ? "\(shown)…" : shown
    }
}

extension SettingValue {
    /// Whether it is a value without parts.
    fileprivate var isScalar: Bool {
        switch self {
        case .array, .dictionary, .null: false
        case .bool, .integer, .real, .number, .string, .date, .data: true
        }
    }
}
