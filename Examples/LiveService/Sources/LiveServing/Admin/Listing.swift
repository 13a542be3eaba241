import Settle

/// Settings as of one revision.
struct Listing {
    let revision: UInt64
    let settings: [SettingInfo]

    /// - Parameter keys: The settings to list; all if `nil`.
    init(of store: SettingsStore, keys: Set<String>? = nil) throws {
        // Nothing else is published while an update runs, so the revision belongs to the values. An update that writes
        // nothing leaves no trace.
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
    /// A setting's entry in the listing. A secret has neither value nor default.
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "key": .string(key), "type": .string(type), "origin": .string(origin.rawValue),
            "isDefault": .bool(isDefault),
        ]
        if !rules.isEmpty { json["rules"] = .array(rules.map { .string($0.description) }) }
        if let problem { json["problem"] = .dictionary(problem.json) }
        guard !isSecret else {
            json["isSecret"] = .bool(true)
            return json
        }
        json["value"] = value ?? .null
        json["default"] = defaultValue ?? .null
        return json
    }
}

extension SettingInfo.Problem {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["sentence": .string(description)]
        if let stored { json["stored"] = stored }
        return json
    }
}
