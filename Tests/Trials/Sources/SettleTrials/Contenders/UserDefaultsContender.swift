import Foundation

/// Foundation's `UserDefaults`. It has no transactions and no `+= 1`; it saves with `synchronize()`.
struct UserDefaultsContender: Contender {
    static let suite = "trial"
    private let folder: URL

    // Created for each use because it is not `Sendable`; instances of one suite share their state within a process.
    private var defaults: UserDefaults {
        get throws {
            guard let defaults = UserDefaults(suiteName: Self.suite) else {
                throw TrialError("The suite “\(Self.suite)” can't be opened.")
            }
            return defaults
        }
    }

    init(folder: URL) throws {
        self.folder = folder
        _ = try defaults
    }

    func number(_ key: String) throws -> Int {
        try defaults.integer(forKey: key)
    }

    func text(_ key: String) throws -> String {
        try defaults.string(forKey: key) ?? ""
    }

    func write(_ numbers: [String: Int]) throws {
        let defaults = try defaults
        for (key, number) in numbers { defaults.set(number, forKey: key) }
    }

    func commit(_ numbers: [String: Int], texts: [String: String]) async throws {
        try write(numbers)
        let defaults = try defaults
        for (key, text) in texts { defaults.set(text, forKey: key) }
        try await flush()
    }

    func increment(_ key: String, with numbers: [String: Int]) async throws {
        try write([key: number(key) + 1])
        try write(numbers)
        try await flush()
    }

    func flush() async throws {
        guard try defaults.synchronize() else {
            throw TrialError("“\(folder.appending(path: Self.suite + ".plist").path)” was not saved.")
        }
    }

    /// All that it writes is in its file.
    func writeSecret(_ number: Int) async throws {}

    func close() async throws -> [String] {
        try await flush()
        return []
    }
}
