public import Settle

/// Settings as of one moment.
struct Listing {
    /// A place in the file's history that the values are not older than; `nil` if the file has none yet.
    let token: ChangeToken?
    private let entries: [SettingEntry]

    /// - Parameter keys: The settings to list; all if `nil`.
    init(of store: SettingsStore, keys: Set<String>? = nil) throws {
        // Before the values: what comes in between is in them, and at worst a change of it is refused for no reason.
        token = store.history.token
        // Nothing else is published while an update runs. One that writes nothing leaves no trace.
        let (settings, file) = try store.update {
            (store.settings.filter { keys?.contains($0.key) ?? true }, store.domains[.application].values)
        }
        entries = settings.map { SettingEntry(info: $0, stored: file[$0.key], cover: store.cover(of: $0)) }
    }

    var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["settings": .array(entries.map { .dictionary($0.json) })]
        json["token"] = tokenText
        return json
    }

    /// The entries of which another value is in force than the file's: that of another domain, or the last one that
    /// could be used. Without the file's.
    var covered: [SettingValue] {
        entries.filter(\.isNotAsStored).map { entry in
            var json = entry.json
            json["stored"] = nil
            return .dictionary(json)
        }
    }

    /// The entry of the only setting; `nil` if there is none.
    var entry: SettingValue.Entries? {
        guard var json = entries.first?.json else { return nil }
        json["token"] = tokenText
        return json
    }

    private var tokenText: SettingValue? { token.map { .string($0.description) } }
}

/// A setting's entry in the listing.
private struct SettingEntry {
    let info: SettingInfo
    /// What the file has; `nil` for a secret too.
    let stored: SettingValue?
    /// The place of the value that covers the file's.
    let cover: String?

    var isNotAsStored: Bool {
        info.problem != nil || info.domain != .application && info.domain != .declaration
    }

    /// A secret has neither values nor default.
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "key": .string(info.key), "type": .string(info.type), "origin": .string(info.origin.rawValue),
            "domain": .string(info.domain.description), "isDefault": .bool(info.isDefault),
            "isCovered": .bool(info.isCovered),
        ]
        if !info.rules.isEmpty { json["rules"] = .array(info.rules.map { .string($0.description) }) }
        if let problem = info.problem { json["problem"] = .dictionary(problem.json) }
        if let cover { json["coveredBy"] = .string(cover) }
        if let lock = info.lock { json["lockedBy"] = .string(lock) }
        return json.merging(values) { old, _ in old }
    }

    private var values: SettingValue.Entries {
        guard !info.isSecret else { return ["isSecret": .bool(true)] }
        var values: SettingValue.Entries = ["value": info.value ?? .null, "default": info.defaultValue ?? .null]
        if info.isCovered, let stored { values["stored"] = stored }
        return values
    }
}

extension SettingsStore {
    /// The place of the value that covers what the file has, or would have, for a setting.
    public func cover(of setting: SettingInfo) -> String? {
        guard setting.isCovered else { return nil }
        return keys.explanation(forKey: setting.key).answers.first { $0.outcome == .inForce }?.place
    }
}

extension SettingInfo.Problem {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["sentence": .string(description)]
        if let stored { json["stored"] = stored }
        return json
    }
}
