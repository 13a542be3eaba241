import Settle

/// The schemas of what is told of changes.
extension Schema {
    static let changeToken = Schema.string.with([
        "description": .string("A place in the history of the service's file, which goes on across restarts.")
    ])

    static let mutation = Schema.object(
        ["key": .string], optional: ["old": .any, "new": .any, "isSecret": .boolean])

    static let conflict = Schema.object(
        ["error": .string], optional: ["conflicts": .array(of: .string), "token": .component("ChangeToken")])

    static let changeEvent = Schema.object(
        [
            "time": .string, "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)), "domain": .string,
            "isDurable": .boolean, "changes": .array(of: .component("Mutation")),
        ], optional: ["author": .string, "transactions": .integer])

    static let coveredEvent = Schema.object(
        ["settings": .array(of: .component("Setting"))], optional: ["change": .component("ChangeEvent")])

    static let snapshotEvent = Schema.object(["missed": .boolean, "values": Schema(["type": .string("object")])])
}
