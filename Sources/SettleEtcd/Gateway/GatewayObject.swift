import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON object as etcd's gateway spells it: 64-bit integers are strings, bytes are base64, and a field that is zero,
/// false or empty is left out. Fields that are not requested are ignored.
struct GatewayObject {
    let entries: SettingValue.Entries

    init(_ entries: SettingValue.Entries = [:]) { self.entries = entries }

    /// - Returns: `nil` if the bytes are not a JSON object.
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

    /// Returns an unsigned number, such as a cluster's identity, which may exceed the signed range.
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

    /// Returns a string; `nil` for an empty one.
    func name(_ name: String) -> String? { text(name).isEmpty ? nil : text(name) }

    func real(_ name: String) -> Double? {
        switch entries[name] {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    var batch: StorageBatch.ID { StorageBatch.ID(store: unsigned("store"), number: unsigned("batch")) }

    /// The holder of a lock, from the value at the lock's key.
    var holder: String { "process \(signed("process")) (\(text("program"))) on \(text("host"))" }

    /// The JSON of strings and numbers, which can always be represented.
    var json: [UInt8] { (try? SettingValue.dictionary(entries).jsonBytes()) ?? [] }

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
    /// Returns a 64-bit integer as the gateway spells it.
    static func gateway(_ number: some BinaryInteger) -> SettingValue { .string(String(number)) }
}
