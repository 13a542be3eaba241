import Settle
import SettleInterchange

/// The settings that a verb reads or writes: files of any program, or the store of the program itself.
enum CommandTarget: Sendable {
    case file(DomainAddress)
    case program(ProgramSettings)

    var name: String {
        switch self {
        case .file(let address): address.name
        case .program(let settings): settings.name
        }
    }

    /// The name as `defaults` writes it in its messages.
    var nameOfDefaults: String {
        switch self {
        case .file(let address): address.nameOfDefaults
        case .program(let settings): settings.name
        }
    }

    /// Returns the declared settings; none if the program has not written its schema.
    func declared() throws(CommandFailure) -> DeclaredSettings {
        switch self {
        case .file(let address): DeclaredSettings(jsonSchema: try address.schema() ?? .dictionary([:]))
        case .program(let settings): DeclaredSettings(settings.store.file.schema())
        }
    }

    /// Returns the stored values of a domain, or the effective values of a program, with secrets.
    ///
    /// - Parameter isSought: Whether a key is searched for, so that a domain that does not exist simply does not have
    ///   it.
    func values(isSought: Bool = false) async throws -> SettingTree {
        switch self {
        case .file(let address): isSought ? try address.contents().tree : try address.values()
        case .program(let settings): try await settings.values()
        }
    }

    /// Returns the values in the application's own domain, with secrets.
    func storedValues() async throws -> SettingTree {
        switch self {
        case .file(let address): try address.values()
        case .program(let settings): try await settings.storedValues()
        }
    }

    /// Opens the store for reading and following.
    func reading<Result: Sendable>(
        _ body: @Sendable (SettingsStore) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .program(let settings): return try await body(settings.store)
        case .file(let address):
            // Arguments and variables would be those of another process.
            let list: SearchList = [.managed(), .host(), .application, .global(), .system()]
            let store = try await SettingsStore.open(reading: address.file, searching: list)
            let result = try await body(store)
            try? await store.close()
            return result
        }
    }

    /// Opens the store for writing. Settings that an administrator has locked stay locked.
    func writing<Result: Sendable>(
        _ body: @Sendable (SettingsStore) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .program(let settings): return try await body(settings.store)
        case .file(let address):
            let store = try await SettingsStore.open(at: address.file, searching: [.managed(), .application])
            do {
                let result = try await body(store)
                try await store.close()
                return result
            } catch {
                try? await store.close()
                throw error
            }
        }
    }
}

/// The settings of the program to which a command belongs.
struct ProgramSettings: Sendable {
    let name: String
    let store: SettingsStore
    /// The groups, which keep the declarations.
    let groups: [any SettingsGroup]

    func storedValues() async throws -> SettingTree {
        try await store.file.exportedValues(includingSecrets: true)
    }

    func values() async throws -> SettingTree {
        var tree = store.keys.effectiveValues
        let stored = try await storedValues()
        for setting in store.settings where setting.access != .owner {
            tree[SettingKey(setting.declaredKey) ?? "x"] = setting.isSecret ? stored[setting.key] : setting.value
        }
        return tree
    }
}
