import ArgumentParser

/// The libraries that can take part in the trials.
enum ContenderKind: String, Codable, Sendable, CaseIterable {
    case settle = "Settle"
    case userDefaults = "UserDefaults"

    /// The name of the library's file in its folder.
    var fileName: String {
        switch self {
        case .settle: "settings.json"
        case .userDefaults: UserDefaultsContender.suite + ".plist"
        }
    }

    /// The environment that a child needs at its start.
    func environment(for folder: String) -> [String: String] {
        switch self {
        case .settle: [:]
        // Foundation reads it only once, so it can't be set later.
        case .userDefaults: ["XDG_CONFIG_HOME": folder]
        }
    }
}
