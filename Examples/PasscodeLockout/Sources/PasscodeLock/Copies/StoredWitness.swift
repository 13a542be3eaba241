public import Settle

/// A witness in a settings store. It helps only where the lock's owner can't restore an older file: on another
/// machine's disk, on an append-only one, or with another user's rights.
public struct StoredWitness: RollbackWitness {
    struct Settings: SettingsGroup {
        @Setting(in: 0...) var generation = 0
        static var access: SettingsAccess { .owner }
    }

    private let settings: Settings
    /// The loss found when the store was opened: the number may have been higher.
    private let loss: String?

    /// - Parameter path: The path of the witness's number in the store.
    public init(in store: SettingsStore, at path: String = "witness") async throws {
        settings = try await store.group(Settings.self, at: path)
        loss = store.file.loadOutcome.loss
    }

    public func generation() async throws -> Int {
        if let loss { throw WitnessError(description: loss) }
        // Another process's number comes first.
        try await settings.commit {}
        return settings.generation
    }

    public func advance(to generation: Int) async throws {
        if let loss { throw WitnessError(description: loss) }
        try await settings.commit {
            let witnessed = settings.generation
            guard generation > witnessed else { throw WitnessRefusal(generation, witnessed: witnessed) }
            settings.generation = generation
        }
    }
}

/// Why a witness can't be trusted.
public struct WitnessError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
