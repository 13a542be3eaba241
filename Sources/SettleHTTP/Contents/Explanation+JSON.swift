import Settle

extension Explanation {
    /// Returns the value of each domain, its source, and which one is in force.
    ///
    /// - Parameter client: The client that gets it. The name of a variable may reveal a key that is out of its reach.
    func json(for client: APIClient) -> SettingValue {
        var json: SettingValue.Entries = [
            "answers": .array(answers.map { .dictionary($0.json) }), "isDurable": .bool(isDurable),
        ]
        if !misspeltVariables.isEmpty, client.reachesEverything {
            json["misspeltVariables"] = .array(misspeltVariables.map(\.json))
        }
        if let change {
            var last: SettingValue.Entries = [
                "revision": .integer(Int64(clamping: change.revision)), "time": .date(change.time),
            ]
            if let author = change.author { last["author"] = .string(author) }
            json["lastChange"] = .dictionary(last)
        }
        return .dictionary(json)
    }

    static let schema = Schema.object(
        [
            "answers": .array(
                of: .object(
                    [
                        "domain": .string, "place": .string, "locksKey": .boolean,
                        "outcome": .oneOf(["inForce", "covered", "refused", "ignored"]),
                    ], optional: ["value": .any, "problem": .string])),
            "isDurable": .boolean,
        ],
        optional: [
            "lastChange": .object(["revision": .integer, "time": .string], optional: ["author": .string]),
            "misspeltVariables": .array(of: UnknownVariable.schema),
        ])
}

extension Explanation.Answer {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "domain": .string(domain.description), "place": .string(place), "outcome": .string(outcome.rawValue),
            "locksKey": .bool(locksKey),
        ]
        if let value { json["value"] = value }
        if let problem { json["problem"] = .string(problem) }
        return json
    }
}
