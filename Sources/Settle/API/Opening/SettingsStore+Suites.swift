#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore.Domains {
    /// Adds the settings of another program to the search list, behind the suites that it has, or else behind the
    /// application's domain. Adding them again does nothing.
    ///
    /// Their values are in force when this returns. The file is read and followed, and never written, except by an
    /// explicit call of ``SettingsDomain/update(author:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the program's store.
    ///   - file: The store's file; by default the standard location of a store with that name.
    /// - Throws: ``SettingsError`` if the name can't be that of a store, or if the store is closed. A file that can't
    ///   be read is reported on ``SettingsStore/issues``, and used as soon as it can be.
    public func addSuite(_ name: String, at file: URL? = nil) async throws {
        let core = try store.open()
        guard core.domains[.suite(name)] == nil else { return }
        let list = SearchList([.application, .suite(name, at: file)])
        let searched = try SearchedDomains(list, DomainLocations(file: nil, home: core.home))
        try await runBlocking {
            for loaded in try await searched.loaded() {
                if try !core.addSuite(loaded) { await loaded.domain.source?.close() }
            }
        }
    }

    /// Removes the settings of another program from the search list.
    ///
    /// - Throws: ``SettingsError`` if the store is closed.
    public func removeSuite(_ name: String) async throws {
        let core = try store.open()
        guard let domain = core.domains[.suite(name)] else { return }
        try await core.remove(domain)
    }
}

extension SettingsStore {
    /// Returns the values that another program has stored, whether or not it is in the search list.
    package static func values(ofSuite name: String) async throws -> SettingTree {
        let list = SearchList([.application, .suite(name)])
        let source = try SearchedDomains(list, DomainLocations(file: nil)).domains.first?.source
        let tree = try await source?.load().tree
        await source?.close()
        return tree ?? SettingTree()
    }

    /// Replaces the values of a domain that only code sets, and adds it to the search list if it is not there: above
    /// all domains except those that lock keys, or below all others.
    ///
    /// - Parameter tree: The values; `nil` to leave them as they are.
    package func setVolatileDomain(
        _ name: DomainName, _ origin: ValueOrigin, isAbove: Bool, _ tree: SettingTree?
    ) throws {
        let core = try open()
        core.writer.lock()
        defer { core.writer.unlock() }
        guard !core.isInTransaction else { throw SettingsError.insideTransaction(name) }
        let domain =
            core.domains[name] ?? AttachedDomain(DomainIdentity(name, origin, isAbove: isAbove, isVolatile: true))
        if core.domains[name] == nil {
            let locking = core.domains.all.last { $0.identity.locksKeys && $0.identity.isAbove }
            core.insert(domain, after: isAbove ? locking : core.domains.all.last)
        }
        if let tree { try core.replace(DomainContents(tree), in: domain.identity) }
    }
}

extension StoreCore {
    /// - Returns: False if another call has added the suite meanwhile; the caller then closes this source.
    @discardableResult
    func addSuite(_ loaded: LoadedDomain) throws(SettingsError) -> Bool {
        let isNew = try writer.withLock { () throws(SettingsError) -> Bool in
            guard mode != .closed else { throw .closed(key: nil) }
            let all = domains.all
            guard !all.contains(where: { $0.name == loaded.domain.name }) else { return false }
            add(loaded, after: all.last { $0.identity.origin == .suite } ?? all.last { $0.identity.isAbove })
            return true
        }
        if isNew { follow(loaded.domain) }
        return isNew
    }
}
