import Settle

/// Settings as of one revision.
struct Listing {
    let revision: UInt64
    let settings: [SettingInfo]
    private let problems: [String: StoredValueProblem]

    /// - Parameters:
    ///   - keys: The settings to list; all if `nil`.
    ///   - problems: What is wrong with stored values, by key.
    init(of store: SettingsStore, keys: Set<String>? = nil, problems: [String: StoredValueProblem]) throws {
        self.problems = problems
        // Nothing else is published while an update runs, so the revision belongs to the values. An update that writes
        // nothing leaves no trace.
        (revision, settings) = try store.update {
            (store.revision, store.settings.filter { keys?.contains($0.key) ?? true })
        }
    }

    var json: SettingValue.Entries {
        [
            "revision": .integer(Int64(revision)),
            "settings": .array(entries.map { .dictionary($0) }),
        ]
    }

    var entries: [SettingValue.Entries] {
        settings.map { setting in
            var json = setting.json
            if let problem = problems[setting.key] { json["problem"] = .dictionary(problem.json) }
            return json
        }
    }
}

extension SettingInfo {
    /// A setting's entry in the listing. A secret has neither value nor default.
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
