import Settle

/// Settings as they were at one revision.
struct Listing {
    let revision: UInt64
    let settings: [SettingInfo]

    /// - Parameter keys: The settings to list; all if `nil`.
    init(of store: SettingsStore, keys: Set<String>? = nil) throws {
        // Nobody else publishes while an update runs, so the revision is that of the values. An update that writes nothing
        // leaves no trace.
        (revision, settings) = try store.update {
            (store.revision, store.settings.filter { keys?.contains($0.key) ?? true })
        }
    }

    var json: SettingValue.Entries {
        [
            "revision": .integer(Int64(revision)),
            "settings": .array(settings.map { .dictionary($0.json) }),
        ]
    }
}

extension SettingInfo {
    /// What the listing tells about a setting. A secret has neither a value nor a default.
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "key": .string(key), "type": .string(type), "origin": .string(origin.rawValue),
            "isDefault": .bool(isDefault),
        ]
        if !rules.isEmpty { json["rules"] = .array(rules.map { .string($0) }) }
        guard !isSecret else {
            json["isSecret"] = .bool(true)
            return json
        }
        json["value"] = value ?? .null
        json["default"] = defaultValue ?? .null
        return json
    }
}
