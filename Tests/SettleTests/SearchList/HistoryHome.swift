import SettleTesting

@testable import Settle

/// Where the domains of a random history have their values.
protocol HistoryHome: AnyObject {
    /// The steps from earlier versions; `nil` if nothing is ever migrated.
    var migrations: [SettingsMigration]? { get }

    /// The application's storage for a new process.
    func storage(_ values: SettingTree) throws -> any Storage
    /// The source of another domain. Without values it has those that it had.
    func source(of name: DomainName, _ values: SettingTree?) throws -> any DomainSource
    /// Gives another domain other values, as another program does.
    func replace(_ name: DomainName, by values: SettingTree, in store: SettingsStore) async throws
    /// Changes the application's values, as another program does.
    func change(_ values: [SettingKey: SettingValue?]) throws
    /// What a new process would find in the application's storage.
    func stored() throws -> SettingTree
}

/// All of them in memory.
final class MemoryHome: HistoryHome {
    let migrations: [SettingsMigration]? = nil
    private var storage = InMemoryStorage()
    private var domains: [DomainName: SettingTree] = [:]

    func storage(_ values: SettingTree) -> any Storage {
        storage = InMemoryStorage(values)
        return storage
    }

    func source(of name: DomainName, _ values: SettingTree?) -> any DomainSource {
        if let values { domains[name] = values }
        return TestDomain(domains[name] ?? SettingTree())
    }

    func replace(_ name: DomainName, by values: SettingTree, in store: SettingsStore) throws {
        domains[name] = values
        guard let domain = store.core.domains[name] else { throw TestFailure() }
        try store.core.replace(DomainContents(values), in: domain.identity)
    }

    func change(_ values: [SettingKey: SettingValue?]) { storage.simulateExternalChange(values) }

    func stored() -> SettingTree { storage.tree }
}
