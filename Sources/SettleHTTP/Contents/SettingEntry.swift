import Settle

/// A setting's entry in the listing.
struct SettingEntry: Sendable {
    let info: SettingInfo
    /// The value in the file that another domain's covers; `nil` if there is none.
    let stored: SettingValue?
    /// The source of the value that covers the file's.
    let cover: String?

    /// Whether another value is in force than the file's: that of another domain, or the last one that could be used.
    var differsFromFile: Bool {
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
        if info.access == .owner { json["isOwnerOnly"] = .bool(true) }
        guard !info.isSecret else {
            json["isSecret"] = .bool(true)
            return json
        }
        json["value"] = info.value ?? .null
        json["default"] = info.defaultValue ?? .null
        if let stored { json["stored"] = stored }
        return json
    }

    static func schema(of keys: [String]) -> Schema {
        .object(
            [
                "key": .oneOf(keys), "type": .string, "isDefault": .boolean,
                "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)), "domain": .string, "isCovered": .boolean,
            ],
            optional: [
                "rules": .array(of: .string), "value": .any, "default": .any, "isSecret": .boolean,
                "isOwnerOnly": .boolean, "problem": .object(["sentence": .string], optional: ["stored": .any]),
                "token": .component("Token"), "stored": .any, "coveredBy": .string, "lockedBy": .string,
                "explanation": .component("Explanation"),
            ])
    }
}

extension SettingInfo.Problem {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["sentence": .string(description)]
        if let stored { json["stored"] = stored }
        return json
    }
}
