import Settle

/// A setting as a flag of the OpenFeature Remote Evaluation Protocol.
struct FlagEvaluation: Sendable {
    private let info: SettingInfo

    /// - Returns: `nil` for a setting that is not a flag. The protocol has no lists.
    init?(_ info: SettingInfo) {
        guard !info.isSecret, info.access != .owner, info.shape.kind != .array else { return nil }
        self.info = info
    }

    var key: String { info.key }

    /// The value in force, with its variant and its domain.
    ///
    /// - Throws: ``FlagFailure`` for a value that the protocol can't represent.
    func json() throws(FlagFailure) -> SettingValue.Entries {
        // Without a value, the client uses its own default. A null would have the wrong type there.
        let value = try self.value()
        var json: SettingValue.Entries = [
            "key": .string(key), "reason": .string(Self.reason), "variant": .string(variant),
            "metadata": .dictionary(["domain": .string(info.domain.description)]),
        ]
        if let value { json["value"] = value }
        return json
    }

    /// No value depends on the context. The protocol's schema has no `DEFAULT` for that of the declaration.
    private static let reason = "STATIC"

    static let schema = Schema.object(
        [
            "key": .string, "reason": .oneOf([reason]), "variant": .string,
            "metadata": .object(["domain": .string]),
        ],
        optional: ["value": Schema(["type": .array(["boolean", "string", "number", "object"].map { .string($0) })])])

    /// - Returns: `nil` for an optional setting without a value.
    private func value() throws(FlagFailure) -> SettingValue? {
        guard let value = info.value else { throw unrepresentable("Its value can't be encoded.") }
        switch value {
        case .null: return nil
        case .array: throw unrepresentable("Its value is a list.")
        // A number that is not finite is stored as a text, which is another type for the client.
        case .string where info.shape.kind == .number: throw unrepresentable("Its value is not a finite number.")
        default:
            guard value.jsonText != "null" else { throw unrepresentable("JSON can't spell its value.") }
            return value
        }
    }

    private func unrepresentable(_ reason: String) -> FlagFailure {
        FlagFailure(.general, "“\(key)” has a value that no flag has. \(reason)", key: key)
    }

    /// A name for the value. The protocol may leave it out, but some clients fail without one.
    private var variant: String {
        switch info.value {
        case .bool(let isOn)?: isOn ? "on" : "off"
        case .string(let choice)? where isChoice: choice
        case .integer(let choice)? where isChoice: "\(choice)"
        default: info.isDefault ? "default" : "custom"
        }
    }

    /// Whether the value is one of those that the declaration lists.
    private var isChoice: Bool {
        guard let value = info.value else { return false }
        return info.rules.contains { $0.cases?.contains(value) == true }
    }
}
