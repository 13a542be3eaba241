extension Optional: DirectSettingValue where Wrapped: DirectSettingValue {
    init(settingValue: SettingValue) throws(SettingCodingError) {
        self = settingValue == .null ? nil : try Wrapped(settingValue: settingValue)
    }

    func settingValue() throws(SettingCodingError) -> SettingValue {
        guard let self else { return .null }
        return try self.settingValue()
    }

    static var storableRule: String? { Wrapped.storableRule }
    var isStorable: Bool { self?.isStorable ?? true }
}

extension Array: DirectSettingValue where Element: DirectSettingValue {
    init(settingValue: SettingValue) throws(SettingCodingError) {
        self = try settingValue.elements(as: Element.self)
    }

    func settingValue() throws(SettingCodingError) -> SettingValue {
        .array(try spellings(of: self))
    }

    static var storableRule: String? { elementsRule(Element.self) }
    var isStorable: Bool { allSatisfy { $0.isStorable } }
}

extension Set: DirectSettingValue where Element: DirectSettingValue {
    init(settingValue: SettingValue) throws(SettingCodingError) {
        self.init(try settingValue.elements(as: Element.self))
    }

    /// A sorted array, so that a file does not change unless the set does.
    func settingValue() throws(SettingCodingError) -> SettingValue {
        .array(try spellings(of: self).sorted(by: SettingValue.isInSpellingOrder))
    }

    static var storableRule: String? { elementsRule(Element.self) }
    var isStorable: Bool { allSatisfy { $0.isStorable } }
}

extension Dictionary: DirectSettingValue where Key == String, Value: DirectSettingValue {
    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard case .dictionary(let entries) = settingValue else {
            throw SettingCodingError(expected: "a dictionary", found: settingValue)
        }
        self.init(minimumCapacity: entries.count)
        for (key, entry) in entries {
            self[key] = try converting(at: key, try Value(settingValue: entry))
        }
        // Merging them would lose one of their values with the next write.
        guard count == entries.count else {
            throw SettingCodingError(
                expected: "a dictionary whose keys are different strings in Swift",
                found: "keys that are equal by Unicode's rules")
        }
    }

    func settingValue() throws(SettingCodingError) -> SettingValue {
        var entries: SettingValue.Entries = [:]
        entries.reserveCapacity(count)
        for (key, value) in self {
            entries[key] = try converting(at: key, try value.settingValue())
        }
        return .dictionary(entries)
    }

    static var storableRule: String? { elementsRule(Value.self) }
    var isStorable: Bool { values.allSatisfy { $0.isStorable } }
}

private func elementsRule<Element: DirectSettingValue>(_: Element.Type) -> String? {
    Element.storableRule.map { "made of elements that are each \($0)" }
}

extension SettingValue {
    fileprivate func elements<Element: DirectSettingValue>(
        as type: Element.Type
    ) throws(SettingCodingError) -> [Element] {
        guard case .array(let values) = self else {
            throw SettingCodingError(expected: "an array", found: self)
        }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (position, value) in values.enumerated() {
            elements.append(try converting(at: String(position), try Element(settingValue: value)))
        }
        return elements
    }
}

private func spellings(of elements: some Collection<some DirectSettingValue>) throws(SettingCodingError)
    -> [SettingValue]
{
    var values: [SettingValue] = []
    values.reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
        values.append(try converting(at: String(position), try element.settingValue()))
    }
    return values
}
