import Settle

extension UnknownVariable {
    var json: SettingValue {
        var json: SettingValue.Entries = ["name": .string(name), "domain": .string(domain.description)]
        if let nearest { json["nearest"] = .string(nearest) }
        return .dictionary(json)
    }

    static let schema = Schema.object(["name": .string, "domain": .string], optional: ["nearest": .string])
}
