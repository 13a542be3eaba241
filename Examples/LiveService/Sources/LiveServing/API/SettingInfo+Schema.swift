import Settle

/// The schemas of what the admin endpoints answer.
extension SettingInfo {
    /// An entry of the listing.
    static func schema(of keys: [String]) -> Schema {
        .object(
            [
                "key": .component("SettingKey"), "type": .string, "isDefault": .boolean,
                "origin": .oneOf(ValueOrigin.allCases.map(\.rawValue)), "domain": .string, "isCovered": .boolean,
            ],
            optional: [
                "rules": .array(of: .string), "value": .any, "default": .any, "isSecret": .boolean,
                "problem": .component("Problem"), "token": .component("ChangeToken"),
                "stored": .any, "coveredBy": .string, "lockedBy": .string,
            ])
    }

    static let problemSchema = Schema.object(["sentence": .string], optional: ["stored": .any])

    static let listingSchema = Schema.object(
        ["settings": .array(of: .component("Setting"))], optional: ["token": .component("ChangeToken")])
}
