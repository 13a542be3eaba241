import ArgumentParser
import Foundation

/// The libraries that can take part in the trials.
enum ContenderKind: String, Codable, Sendable, CaseIterable {
    case settle = "Settle"
    case userDefaults = "UserDefaults"

    func open(in folder: String) async throws -> any Contender {
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        return switch self {
        case .settle: try await SettleContender(folder: folder)
        case .userDefaults: try UserDefaultsContender(folder: folder)
        }
    }

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
