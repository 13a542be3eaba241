import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HistoryEntry {
    var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "token": .string(token.description), "time": .date(time), "author": .dictionary(author.json),
            "origin": .string(origin.rawValue), "transactions": .integer(Int64(clamping: count)),
            "changes": .array(changes.map { .dictionary($0.json) }), "isKnown": .bool(isKnown),
        ]
        if let undone { json["undone"] = .string(undone.description) }
        return json
    }

    static let listSchema = Schema.object(["entries": .array(of: .component("HistoryEntry"))])

    static let schema = Schema.object(
        [
            "token": .component("ChangeToken"), "time": .string, "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)),
            "author": .object(
                [:], optional: ["name": .string, "program": .string, "process": .integer, "user": .string]),
            "transactions": .integer, "changes": .array(of: .component("Mutation")), "isKnown": .boolean,
        ], optional: ["undone": .component("ChangeToken")])
}

extension HistoryChange {
    /// What was not stored is absent.
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["key": .string(key)]
        guard !isSecret else { return json.merging(["isSecret": .bool(true)]) { $1 } }
        json["old"] = oldValue
        json["new"] = newValue
        return json
    }
}

extension TransactionAuthor {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [:]
        json["name"] = name.map { .string($0) }
        json["program"] = program.map { .string($0) }
        json["process"] = process.map { .integer(Int64($0)) }
        json["user"] = user.map { .string($0) }
        return json
    }
}

extension Date {
    /// Reads a time in UTC, with or without parts of a second, or a day.
    init?(iso8601 text: String) {
        let (time, day) = (Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle().year().month().day())
        let date =
            (try? time.parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)) ?? (try? day.parse(text))
        guard let date else { return nil }
        self = date
    }
}
