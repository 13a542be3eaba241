import Settle

extension UndoResult {
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "keys": .array(keys.map { .string($0) }), "conflicts": .array(conflicts.map { .dictionary($0.json) }),
        ]
        // Known of every undo of the history.
        if let undone { json["undone"] = .string(undone.description) }
        if let token { json["token"] = .string(token.description) }
        return json
    }

    static let schema = Schema.object(
        [
            "undone": .component("Token"), "keys": .array(of: .string),
            "conflicts": .array(
                of: .object(["key": .string], optional: ["old": .any, "then": .any, "now": .any])),
        ], optional: ["token": .component("Token")])
}

extension UndoConflict {
    /// A value that was not stored is absent.
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["key": .string(key)]
        if let oldValue { json["old"] = oldValue }
        if let valueThen { json["then"] = valueThen }
        if let valueNow { json["now"] = valueNow }
        return json
    }
}
