import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An object in JSON as etcd's gateway spells it: 64-bit integers are texts, bytes are base64, and a field that is zero,
/// false or empty is left out. Fields that are not asked for are ignored.
struct GatewayObject {
    let entries: SettingValue.Entries

    init(_ entries: SettingValue.Entries = [:]) { self.entries = entries }

    /// - Returns: `nil` if the bytes are no JSON object.
    init?(_ bytes: [UInt8]) {
        guard case .dictionary(let entries)? = try? JSONDocument.read(bytes) else { return nil }
        self.entries = entries
    }

    func signed(_ name: String) -> Int64 {
        switch entries[name] {
        case .integer(let number): number
        case .string(let text): Int64(text) ?? 0
        default: 0
        }
    }

    /// Such as the identity of a cluster, which may be larger than a signed number.
    func unsigned(_ name: String) -> UInt64 {
        switch entries[name] {
        case .integer(let number): UInt64(bitPattern: number)
        case .string(let text), .number(let text): UInt64(text) ?? 0
        default: 0
        }
    }

    func bool(_ name: String) -> Bool { entries[name] == .bool(true) }

    func text(_ name: String) -> String {
        if case .string(let text)? = entries[name] { text } else { "" }
    }

    func bytes(_ name: String) -> [UInt8] {
        Data(base64Encoded: text(name)).map { [UInt8]($0) } ?? []
    }

    func object(_ name: String) -> GatewayObject? {
        if case .dictionary(let entries)? = entries[name] { GatewayObject(entries) } else { nil }
    }

    func objects(_ name: String) -> [GatewayObject] {
        guard case .array(let values)? = entries[name] else { return [] }
        return values.map { if case .dictionary(let entries) = $0 { GatewayObject(entries) } else { GatewayObject() } }
    }
}

extension SettingValue {
    /// Bytes as the gateway spells them.
    static func gateway(_ bytes: some Sequence<UInt8>) -> SettingValue {
        .string(Data(bytes).base64EncodedString())
    }

    /// A 64-bit integer as the gateway spells it.
    static func gateway(_ number: some BinaryInteger) -> SettingValue { .string(String(number)) }
}
