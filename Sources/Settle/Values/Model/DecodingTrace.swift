/// The fields that the decoding of a value asks its stored form for, and the replacements for missing ones.
///
/// The containers of one decoding share it; it is used by one thread only.
final class DecodingTrace {
    /// The stored form of another value of the type, from which missing fields are taken.
    private let defaults: SettingValue?
    /// Whether fields were asked for, so that the others are unknown to the type.
    private var isKeyed = false
    /// Set while a set or a dictionary is decoded: its elements have no fixed positions, and no defaults.
    private var isCollection = false
    /// The stored fields that were asked for.
    private var known: Set<Name> = []
    private var fields: [Name: DecodingTrace] = [:]
    private var elements: [Int: DecodingTrace] = [:]
    /// Whether a field was asked for that is neither stored nor among the defaults.
    private(set) var lacksField = false

    init(defaults: SettingValue? = nil) {
        self.defaults = defaults
    }

    // MARK: Decoding

    func beginFields() { isKeyed = true }

    func beginCollection() { isCollection = true }

    func ask(for name: String) { known.insert(Name(name)) }

    /// Returns the value in place of a missing field.
    func defaultValue(of name: String) -> SettingValue? {
        defaultField(name)
    }

    func miss() { lacksField = true }

    /// Follows a stored field, if it has fields that may be missing or unknown.
    func field(_ name: String, _ value: SettingValue) -> DecodingTrace? {
        guard value.isContainer else { return nil }
        if let field = fields[Name(name)] { return field }
        let field = DecodingTrace(defaults: defaultField(name))
        fields[Name(name)] = field
        return field
    }

    func element(_ position: Int, _ value: SettingValue) -> DecodingTrace? {
        guard value.isContainer, !isCollection else { return nil }
        if let element = elements[position] { return element }
        let element = DecodingTrace()
        elements[position] = element
        return element
    }

    private func defaultField(_ name: String) -> SettingValue? {
        guard !isCollection, case .dictionary(let entries) = defaults else { return nil }
        return entries[name]
    }

    /// Whether any part of the value has lacked a field.
    var hasGaps: Bool {
        lacksField || fields.values.contains(where: \.hasGaps) || elements.values.contains(where: \.hasGaps)
    }

    // MARK: Unknown fields

    /// Returns the parts of the value beyond the fields that were asked for.
    ///
    /// - Parameter encoded: The value as the type encodes it. Called only if there are such parts.
    func unknownFields(in value: SettingValue, encoded: () throws -> SettingValue) -> UnknownFields? {
        guard hasUnknownFields(in: value), let encoded = try? encoded() else { return nil }
        return unknownFields(in: value, beyond: encoded)
    }

    private func hasUnknownFields(in value: SettingValue) -> Bool {
        switch value {
        case .dictionary(let entries):
            guard isKeyed else { return false }
            return known.count < entries.count
                || fields.contains { name, field in entries[name.text].map(field.hasUnknownFields) ?? false }
        case .array(let values):
            return elements.contains { $1.hasUnknownFields(in: values[$0]) }
        default: return false
        }
    }

    private func unknownFields(in value: SettingValue, beyond encoded: SettingValue) -> UnknownFields? {
        switch (value, encoded) {
        case (.dictionary(let entries), .dictionary(let encoded)) where isKeyed:
            var unknown = UnknownFields()
            for (name, value) in entries where encoded[name] == nil && !known.contains(Name(name)) {
                unknown.fields[name] = value
            }
            for (name, field) in fields {
                guard let value = entries[name.text], let encoded = encoded[name.text] else { continue }
                unknown.within[name] = field.unknownFields(in: value, beyond: encoded)
            }
            return unknown.isEmpty ? nil : unknown
        case (.array(let values), .array(let encoded)) where values.count == encoded.count:
            let unknown = elements.sorted { $0.key < $1.key }.compactMap { position, element in
                element.unknownFields(in: values[position], beyond: encoded[position]).map {
                    UnknownFields.Element(position: position, encoded: encoded[position], unknown: $0)
                }
            }
            return unknown.isEmpty ? nil : UnknownFields(elements: unknown)
        default: return nil
        }
    }
}

extension SettingValue {
    var isContainer: Bool {
        switch self {
        case .dictionary, .array: true
        default: false
        }
    }
}
