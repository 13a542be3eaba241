import Settle
import SettleTesting

/// A secret store in memory, whose keys a test makes fail.
final class MemorySecrets: SecretStore {
    private struct State: Sendable {
        var secrets: [SettingKey: String] = [:]
        var unwritable: Set<SettingKey> = []
        var unreadable: Set<SettingKey> = []
        var changed: (@Sendable () -> Void)?
        var reading: (@Sendable (SettingKey) -> Void)?
        var writing: (@Sendable (SettingKey) -> Void)?
        var isClosed = false
    }

    private let state = LockedValue(State())

    init(_ secrets: [SettingKey: String] = [:]) {
        state.withLock { $0.secrets = secrets }
    }

    var secrets: [SettingKey: String] { state.withLock { $0.secrets } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Makes writes of some keys fail.
    func failWriting(_ keys: Set<SettingKey>) { state.withLock { $0.unwritable = keys } }

    /// Makes reads of some keys fail, and reports a change.
    func failReading(_ keys: Set<SettingKey>) { change { $0.unreadable = keys } }

    /// Sets a secret as another program does.
    func set(_ secret: String?, at key: SettingKey) { change { $0.secrets[key] = secret } }

    /// Runs an action before each read, on the thread that reads.
    func beforeReading(_ action: (@Sendable (SettingKey) -> Void)?) { state.withLock { $0.reading = action } }

    /// Runs an action before each write, as other programs and threads might.
    func beforeWriting(_ action: (@Sendable (SettingKey) -> Void)?) { state.withLock { $0.writing = action } }

    private func change(_ body: (inout State) -> Void) {
        let changed = state.withLock { state in
            body(&state)
            return state.changed
        }
        changed?()
    }

    func secret(forKey key: SettingKey) throws(StorageError) -> String? {
        state.withLock { $0.reading }?(key)
        return try state.withLock { (state) throws(StorageError) in
            guard !state.unreadable.contains(key) else { throw StorageError(.unreadable, "“\(key)” is locked away.") }
            return state.secrets[key]
        }
    }

    func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError) {
        state.withLock { $0.writing }?(key)
        try state.withLock { (state) throws(StorageError) in
            guard !state.unwritable.contains(key) else { throw StorageError(.writeFailed, "“\(key)” is read-only.") }
            state.secrets[key] = secret
        }
    }

    func watch(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

    func location(of key: SettingKey) -> String { "the test's secret “\(key)”" }

    func close() async {
        state.withLock { state in
            state.changed = nil
            state.isClosed = true
        }
    }
}

struct SecretGroup: SettingsGroup {
    @Setting var name = "default"
    @Setting var plain: Secret<String>?
    @Setting(storedIn: .secrets) var token: Secret<String>?
    @Setting(storedIn: .secrets, rules: [.check("below 100") { $0.revealed < 100 }]) var pin = Secret(0)
    @Setting("inner.table", storedIn: .secrets) var table: [String: Secret<String>] = [:]
    @Setting(storedIn: .secrets) var list: [Secret<String>] = []
}

/// Opens a store with secrets in memory, and the group that has them.
func openSecretGroup(
    _ secrets: MemorySecrets?, on storage: any Storage = InMemoryStorage(), at path: String = "",
    migrations: [SettingsMigration]? = nil
) async throws -> (SettingsStore, SecretGroup) {
    var list: SearchList = [.application]
    if let secrets { list.domains.insert(.secretStore(secrets), at: 0) }
    let store = try await SettingsStore.open(storage: storage, searching: list, migrations: migrations)
    return (store, try await store.group(SecretGroup.self, at: path))
}

/// Returns whether a write is refused because of the secret store.
func isRefusedForSecretStore(_ write: () throws -> Void) -> Bool {
    do {
        try write()
        return false
    } catch {
        guard let error = error as? SettingsError else { return false }
        return ([error.code] + error.problems.map(\.code)).contains(.secretStore)
    }
}
