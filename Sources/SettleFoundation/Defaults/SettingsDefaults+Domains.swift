import Foundation
import Settle
import Synchronization

/// Domains other than the store's own.
extension SettingsDefaults {
    /// Adds defaults that count while no other domain has a value, to those registered before. They are not saved. URLs
    /// are stored as ``set(_:forKey:)-(URL?,_)`` stores them. Any other value that a property list can't represent is
    /// refused individually, and reported with its key and its type.
    public func register(defaults registrationDictionary: [String: Any]) {
        var values: [String: SettingValue] = [:]
        for (name, object) in registrationDictionary { report { values[key(name)] = try stored(object, name) } }
        report {
            try store.setVolatileDomain(.registration, .registration, isAbove: false, nil)
            try store.domains.register(values)
        }
    }

    /// Also searches the settings of another program, after the store's own. Blocks until they are read.
    public func addSuite(named suiteName: String) {
        wait { store in try await store.domains.addSuite(suiteName) }
    }

    /// Stops searching the settings of another program.
    public func removeSuite(named suiteName: String) {
        wait { store in try await store.domains.removeSuite(suiteName) }
    }

    // MARK: Persistent domains

    /// Returns the stored values of a domain: the store's own, by its ``domainName``, ``globalDomain``, or that of
    /// another program; `nil` if it has none. Secrets of declared settings are left out.
    public func persistentDomain(forName domainName: String) -> [String: Any]? {
        var tree = SettingTree()
        if let domain = searchedDomain(domainName) {
            tree = domain.values
        } else if domainName != Self.globalDomain {
            report { tree = try waitForBlocking { try await SettingsStore.values(ofSuite: domainName) } }
        }
        return tree.root.isEmpty ? nil : tree.root.objects
    }

    /// Replaces the stored values of a domain. If a value is refused, nothing is written, and the reason is reported.
    /// Blocks until the file of a domain other than the store's own is written. ``globalDomain`` can be written if the
    /// store searches it.
    public func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
        let (entries, refused) = SettingValue.entries(domain)
        if let name = refused.first {
            return report { throw refusal(of: key(name), domain[name].map { type(of: $0) } ?? Any.self) }
        }
        replace(SettingTree(entries), domainName)
    }

    /// Removes all stored values of a domain.
    public func removePersistentDomain(forName domainName: String) { replace(SettingTree(), domainName) }

    private func replace(_ tree: SettingTree, _ name: String) {
        if name == domainName { return report { try store.file.import(tree, .replace) } }
        if let domain = searchedDomain(name) {
            wait { _ in try await domain.replace(with: tree) }
        } else if name == Self.globalDomain {
            report {
                throw SettingsError(
                    .domain,
                    "“\(name)” can't be written: the store does not search the domain. Open the store with `.global()` in its "
                        + "search list.")
            }
        } else {
            wait { _ in
                let other = try await SettingsStore.open(name)
                try other.file.import(tree, .replace)
                try await other.close()
            }
        }
    }

    /// Returns a domain that the store searches; `nil` for any other.
    private func searchedDomain(_ name: String) -> SettingsDomain? {
        let own: DomainName =
            name == domainName ? .application : name == Self.globalDomain ? .global : .suite(name)
        return store.domains.first { $0.name == own }
    }

    // MARK: Volatile domains

    /// The names of the domains that exist only until the program ends.
    public var volatileDomainNames: [String] {
        [Self.argumentDomain, Self.registrationDomain] + state.withLock { $0.volatile.keys.sorted() }
    }

    /// Returns the values of a volatile domain: ``argumentDomain``, ``registrationDomain``, or one that was set.
    public func volatileDomain(forName domainName: String) -> [String: Any] {
        switch domainName {
        case Self.registrationDomain: store.domains[.registration].values.root.objects
        case Self.argumentDomain: arguments.root.objects
        default: state.withLock { $0.volatile[domainName]?.root.objects } ?? [:]
        }
    }

    /// Replaces a volatile domain. Values of ``argumentDomain`` take precedence over all others but an administrator's,
    /// and those of ``registrationDomain`` come last. A domain with another name is kept, but not searched.
    public func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
        let (entries, refused) = SettingValue.entries(domain)
        if let name = refused.first {
            return report { throw refusal(of: key(name), domain[name].map { type(of: $0) } ?? Any.self) }
        }
        setVolatile(SettingTree(entries), domainName)
    }

    /// Removes the values of a volatile domain.
    public func removeVolatileDomain(forName domainName: String) { setVolatile(nil, domainName) }

    private func setVolatile(_ tree: SettingTree?, _ name: String) {
        switch name {
        case Self.registrationDomain:
            report { try store.setVolatileDomain(.registration, .registration, isAbove: false, tree ?? SettingTree()) }
        case Self.argumentDomain:
            report {
                try store.setVolatileDomain(DomainName(name), .arguments, isAbove: true, tree ?? SettingTree())
            }
        default: state.withLock { $0.volatile[name] = tree }
        }
    }

    /// The arguments set here, before those of the command line.
    private var arguments: SettingTree {
        let given = store.domains[.arguments].values.root
        let own = store.domains[DomainName(Self.argumentDomain)].values.root
        return SettingTree(own.merging(given) { own, _ in own })
    }

    /// Waits for asynchronous work of a store, and reports its failure.
    private func wait(_ work: @escaping @Sendable (SettingsStore) async throws -> Void) {
        report { [store] in
            // It would wait for the end of this write.
            guard !store.isHeldByCurrentWriter else {
                throw SettingsError(
                    .insideTransaction, "The domains of a store can't be changed inside a write: do it afterwards.")
            }
            try waitForBlocking { try await work(store) }
        }
    }
}
