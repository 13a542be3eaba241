#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The possible meanings of a text without a type, such as the value of an environment variable. The declaration of a
/// setting chooses among them.
///
/// A text is the string itself, or else a number, a boolean (`yes`, `on`), a date, a duration (`1m30s`), JSON if it
/// begins with a bracket or a brace, or a list of these, separated by commas. An empty text is only an empty string. In
/// an array or dictionary of texts, each text is read.
enum TextCandidates {
    /// Returns the possible values of a text, or of a tree of texts, in the order in which to try them. Each is made
    /// when it is asked for.
    static func candidates(for value: SettingValue) -> some Sequence<SettingValue> {
        readings(of: value).lazy.compactMap { $0() }
    }

    /// Returns whether the text of a variable or an argument is empty, which is a value for strings only.
    static func isEmpty(_ value: SettingValue) -> Bool { value == .string("") }

    /// Returns the elements that a value adds to an array or a set that is given several times.
    static func elements(of value: SettingValue) -> [SettingValue] {
        if case .array(let elements) = value { return elements }
        guard case .string(let text) = value else { return [value] }
        let first = text.withoutOuterSpace.utf8.first
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return list(text) }
        return json(text).map(elements) ?? [value]
    }

    /// Decodes the first candidate that has the right type and is accepted.
    ///
    /// - Throws: The most informative error: that of a value with the right type that was not accepted, or else that of
    ///   the candidate of which most could be decoded.
    static func decode<Value>(
        _ value: SettingValue, with codec: SettingCodec<Value>, accepting accept: (Value) throws -> Void
    ) throws -> Value {
        var failures = TextFailures()
        for candidate in candidates(for: value) {
            // If a type accepts the text itself, it must not get another text.
            if case .string = candidate, failures.isRefused { continue }
            do {
                let decoded = try codec.decode(candidate)
                guard !isEmpty(candidate) || !(decoded is Data) else {
                    throw SettingCodingError(expected: "data or a base64 string", found: candidate)
                }
                do {
                    try accept(decoded)
                    return decoded
                } catch {
                    failures.refuse(error)
                }
            } catch {
                failures.add(error, decoding: candidate)
            }
        }
        throw failures.mostTelling
    }

    private static func readings(of value: SettingValue) -> [() -> SettingValue?] {
        guard case .string(let text) = value else { return readingsOfParts { value } }
        guard !text.isEmpty else { return [{ value }] }
        if let first = text.withoutOuterSpace.utf8.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
            return [{ value }, { json(text) }]
        }
        let scalars = [TextReading.string, .number, .bool, .date, .duration].map { reading in
            { reading.value(of: text) }
        }
        return scalars + readingsOfParts { .array(list(text)) }
    }

    private static func readingsOfParts(_ value: @escaping () -> SettingValue) -> [() -> SettingValue?] {
        TextReading.allCases.map { reading in { reading.value(of: value()) } }
    }

    private static func list(_ text: String) -> [SettingValue] {
        text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { .string(String(Substring($0).withoutOuterSpace)) }
    }

    private static func json(_ text: String) -> SettingValue? {
        var reader = JSONReader(Array(text.utf8))
        return try? reader.readFragment()
    }
}
