public import Settle

/// Features that are switched on and off by name.
public struct FeatureSettings: SettingsGroup {
    /// The names of the enabled features.
    @Setting(.check("a list of different names of lower-case letters, digits and dashes", FeatureSettings.accepts))
    public var enabled: [String] = []

    public init() {}

    @Sendable private static func accepts(_ names: [String]) -> Bool {
        Set(names).count == names.count && names.allSatisfy { $0.wholeMatch(of: /[a-z0-9][a-z0-9-]*/) != nil }
    }
}
