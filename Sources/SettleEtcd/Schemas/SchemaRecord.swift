import Settle

/// The JSON Schema stored beside the settings, with the version of the program that declares them. Pure.
///
/// The version is an annotation of the schema, so the key has a plain JSON Schema for other tools.
struct SchemaRecord: Equatable {
    private static let versionName = "x-version"

    private(set) var schema: SettingValue.Entries
    /// `nil` for a schema without one.
    var version: String? {
        get { if case .string(let version)? = schema[Self.versionName] { version } else { nil } }
        set { schema[Self.versionName] = newValue.map { .string($0) } }
    }

    init(_ schema: SettingValue.Entries, version: String?) {
        self.schema = schema
        self.version = version
    }

    /// - Returns: `nil` for bytes that are not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let object = GatewayObject(bytes) else { return nil }
        schema = object.entries
    }

    /// Returns the record to store instead of a stored one; `nil` if that one stays.
    ///
    /// - Parameter version: The version of the program that has the schema. `nil`: it replaces any, and keeps the stored
    ///   version.
    static func record(
        of schema: SettingValue.Entries, version: String?, over stored: SchemaRecord?
    ) -> SchemaRecord? {
        guard let version else { return SchemaRecord(schema, version: stored?.version) }
        if let old = stored?.version, !isNewer(version, than: old) { return nil }
        return SchemaRecord(schema, version: version)
    }

    /// Compares the parts between dots: as numbers if both are numbers, otherwise as text.
    static func isNewer(_ left: String, than right: String) -> Bool {
        let (left, right) = (parts(left), parts(right))
        for index in 0..<max(left.count, right.count) {
            let (new, old) = (index < left.count ? left[index] : "0", index < right.count ? right[index] : "0")
            if let new = UInt64(new), let old = UInt64(old) {
                if new != old { return new > old }
            } else if new != old {
                return new > old
            }
        }
        return false
    }

    private static func parts(_ version: String) -> [Substring] {
        version.split(separator: ".", omittingEmptySubsequences: false)
    }
}
