#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// Adds the settings of another program to the search list, behind the suites that it has, and else behind the
    /// application's domain. Adding it again does nothing.
    ///
    /// Its values are in force when this returns. The file is read and followed, and never written, except by an
    /// explicit call of ``SettingsDomain/update(by:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of its store.
    ///   - file: Its file; by default the standard place of a store with that name.
    /// - Throws: ``SettingsError`` if the name can't be that of a store, or if the store is closed. A file that can't be
    ///   read is reported on ``issues``, and used as soon as it can be.
    public func addSuite(_ name: String, at file: URL? = nil) async throws {
        let core = try open()
        guard core.domains[.suite(name)] == nil else { return }
        let list = SearchList([.application, .suite(name, at: file)])
        for domain in try SearchedDomains(list, SearchPlaces(file: nil, home: core.home)).domains {
            try await core.addSuite(domain)
        }
    }

    /// Removes the settings of another program from the search list.
    ///
    /// - Throws: ``SettingsError`` if the store is closed.
    public func removeSuite(_ name: String) async throws {
        let core = try open()
        guard let domain = core.domains[.suite(name)] else { return }
        try await core.remove(domain)
    }
}

extension StoreCore {
    func addSuite(_ domain: StoreDomain) async throws {
        guard let source = domain.source else { return }
        try await runBlocking { [self] in
            let contents = await Result(loading: source)
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            let all = domains.all
            let last = all.last { $0.identity.origin == .suite } ?? all.last { $0.identity.isAbove }
            insert(domain, after: last)
            deliver(contents, to: domain)
            follow(domain)
        }
    }
}
