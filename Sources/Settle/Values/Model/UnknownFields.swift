/// The fields of a stored value that its type does not know, such as those of a later version of the program.
struct UnknownFields: Sendable {
    struct Element: Sendable {
        var position: Int
        /// The element as its type encoded it, without the unknown fields.
        var encoded: SettingValue
        var unknown: UnknownFields
    }

    var fields: SettingValue.Entries = [:]
    /// The unknown fields of the known fields.
    var within: [Name: UnknownFields] = [:]
    /// The unknown fields of the elements of an array.
    var elements: [Element] = []

    var isEmpty: Bool { fields.isEmpty && within.isEmpty && elements.isEmpty }

    /// Restores the fields where the value that contained them still exists.
    func add(to value: inout SettingValue) {
        switch value {
        case .dictionary(var entries):
            value = .null
            add(to: &entries)
            value = .dictionary(entries)
        case .array(var values) where !elements.isEmpty:
            value = .null
            add(to: &values)
            value = .array(values)
        default: break
        }
    }

    private func add(to entries: inout SettingValue.Entries) {
        for (name, field) in fields where entries[name] == nil { entries[name] = field }
        for (name, unknown) in within {
            guard var value = entries.removeValue(forKey: name.text) else { continue }
            unknown.add(to: &value)
            entries[name.text] = value
        }
    }

    /// Restores the fields of elements. An element has no name, so only an unchanged one counts as the same, at any
    /// position.
    private func add(to values: inout [SettingValue]) {
        var moved: [SettingValue: [UnknownFields]] = [:]
        var placed: Set<Int> = []
        for element in elements.reversed() {
            if values.indices.contains(element.position), values[element.position] == element.encoded {
                element.unknown.add(to: &values[element.position])
                placed.insert(element.position)
            } else {
                moved[element.encoded, default: []].append(element.unknown)
            }
        }
        guard !moved.isEmpty else { return }
        for position in values.indices where !placed.contains(position) {
            moved[values[position]]?.popLast()?.add(to: &values[position])
        }
    }

    /// Returns the fields whose containers a value still has.
    func within(_ value: SettingValue) -> UnknownFields? {
        switch value {
        case .dictionary(let entries):
            var rest = self
            rest.within = [:]
            for (name, unknown) in within { rest.within[name] = entries[name.text].flatMap(unknown.within) }
            return rest.isEmpty ? nil : rest
        case .array: return elements.isEmpty ? nil : self
        default: return nil
        }
    }
}
