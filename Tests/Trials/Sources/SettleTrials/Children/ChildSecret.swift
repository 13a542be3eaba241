import Settle
import TrialChecks

/// A setting whose value only the secret store may have.
private struct SecretSettings: SettingsGroup {
    @Setting(storedIn: .secrets) var token: Secret<String>?
}

/// The secret that a child writes beside its other settings. All files that the trial leaves are searched for it.
struct ChildSecret: Sendable {
    private let store: SettingsStore
    private let settings: SecretSettings

    /// - Parameter store: A store that was opened with ``ChildPlace/searching``.
    init(in store: SettingsStore) async throws {
        self.store = store
        settings = try await store.group(SecretSettings.self)
    }

    /// The number of the secret in force: 0 without a secret; `nil` if it is not, as a whole, one that was written.
    var number: Int? {
        guard let token = settings.token else { return 0 }
        return SecretSearch.number(in: token.revealed)
    }

    /// Replaces the secret, and returns once the new one is on disk.
    func write(_ number: Int) async throws {
        try await store.domains[.secretStore].update { [settings] in
            settings.token = Secret(SecretSearch.secret(number))
        }
    }
}
