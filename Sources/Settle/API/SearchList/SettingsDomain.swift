/// A domain of an open store: a layer of values in its search list.
///
/// ```swift
/// try await store.domains[.global].update { settings.theme = .dark }   // in the file for all programs of the user
/// for domain in store.domains { print(domain.name, domain.values) }
/// ```
public struct SettingsDomain: Sendable {
    /// The domain's name.
    public let name: DomainName
    let core: StoreCore
    /// The attached domain; `nil` for the application's, and for a domain that the store does not search.
    let domain: AttachedDomain?

    /// Whether its values are gone when the program ends.
    public var isVolatile: Bool { domain?.identity.isVolatile ?? false }

    /// Whether its keys can't be written; see ``DomainName/managed``.
    public var locksKeys: Bool { domain?.identity.locksKeys ?? false }

    /// All values of the domain, as they were stored or set, including unsaved ones of the application's domain.
    /// Secrets of declared settings are left out.
    public var values: SettingTree {
        guard let domain else { return name == .application ? core.visibleTree(core.ownTree()) : SettingTree() }
        return core.visibleTree(core.contents(of: domain).tree)
    }

    /// Runs a transaction that writes this domain instead of the application's.
    ///
    /// For the application's domain this is ``SettingsStore/commit(author:confirmWithin:_:)``. For a domain in a file
    /// it is a commit of that file: serial across processes, and on stable storage when this returns; then the store's
    /// effective values follow. The closure may run on another thread than the caller's. Inside, the thread sees the
    /// values in force, with the newest ones of the file and its own writes. Changes in place begin with these.
    ///
    /// For ``DomainName/secretStore``, the secrets are written when the closure has returned, and are in force once the
    /// secret store has all of them. If one can't be written, those before it are reverted; the error names the keys
    /// for which that was not possible. A secret that can't be read is not overwritten, only removed. After a crash
    /// meanwhile, each secret is the old one or the new one. `nil` and a reset remove a secret from the store; the reset
    /// of a group removes its secrets, and leaves its other settings.
    ///
    /// - Throws: The closure's error, in which case nothing is written; ``SettingsError`` if a written key is locked or
    ///   owner-only, if the domain can't be written, or if its file or a secret can't be saved.
    @discardableResult
    public func update<Result: Sendable>(
        author: String? = nil, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard name != .application else { return try await core.commit(author: author, body) }
        let domain = try writable()
        if let source = domain.source as? SecretStoreSource {
            let (result, exposed) = try await runBlocking { [core] in
                try core.updateSecrets(of: source, in: domain, author: author, body)
            }
            await core.removeFromSettings(exposed, author: author)
            return result
        }
        guard let file = domain.file else {
            return try await runBlocking { [core] in
                try core.update(domain, author: author, body)
            }
        }
        let store = try await SettingsStore.open(at: file, home: domain.home)
        let (result, tree, number) = try await store.commit(author: author) { [core] in
            let (result, writes, _) = try core.collectWrites(in: domain.identity, over: store.core.ownTree(), body)
            for (key, value) in writes.sorted(by: \.key) { try store.core.change(key, to: value, author: author) }
            return (result, store.core.ownTree(), domain.numberOfNextCommit())
        }
        try await take(tree, of: number, in: domain, author)
        return result
    }

    /// Replaces all values of the domain, or removes them.
    ///
    /// - Throws: ``SettingsError`` if the domain can't be written, if it is the application's or the secret store, if
    ///   the tree has a value of a setting that is stored in the secret store, or if the file can't be saved.
    public func replace(with tree: SettingTree, author: String? = nil) async throws {
        let domain = try writable()
        guard !domain.identity.holdsSecrets else { throw SettingsError.notReplaceable(name) }
        try core.checkStorage(of: tree)
        var number: UInt64?
        if let file = domain.file {
            let store = try await SettingsStore.open(at: file, home: domain.home)
            number = try await store.commit(author: author) { [core = store.core] in
                for name in Set(core.ownTree().root.keys).union(tree.root.keys) {
                    try core.change(SettingKey(name: name), to: tree.root[name], author: author)
                }
                return domain.numberOfNextCommit()
            }
        }
        try await take(tree, of: number, in: domain, author)
    }

    /// Puts values in force, unless those of a later commit were faster.
    private func take(
        _ tree: SettingTree, of number: UInt64?, in domain: AttachedDomain, _ author: String?
    ) async throws {
        try await runBlocking { [core] in
            try core.writer.withLock {
                guard domain.isNewest(number) else { return }
                try core.replace(DomainContents(tree), in: domain.identity, author: author)
            }
        }
    }

    /// Delivers every change of the application's domain, whether a domain above it covers the value or not.
    ///
    /// Such a change has the values of the application's domain, and the default where it has none. Domains other than
    /// ``DomainName/application`` have no such changes: the sequence is then that of the effective values. The
    /// parameters are those of ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Change.Delivery = .every, durableOnly: Bool = false) -> Changes {
        let log = core.log
        let isOwn = name == .application
        let topic = isOwn ? log.lock.withLock { log.changes.applicationTopic() } : log.root
        return Changes(
            ChangeCursor(
                on: topic, of: log, delivery: delivery, durableOnly: durableOnly,
                view: isOwn ? .application : .effective))
    }

    private func writable() throws(SettingsError) -> AttachedDomain {
        guard let domain else { throw .notSearched(name, core.domains.all.map(\.name)) }
        // A source's values would return with its next change.
        let isKept = domain.source == nil || domain.file != nil || domain.identity.holdsSecrets
        guard isKept, name != .overrides, name != .secrets else {
            throw .readOnly(name)
        }
        return domain
    }
}

extension StoreCore {
    /// Writes a domain that only this process has.
    fileprivate func update<Result>(
        _ domain: AttachedDomain, author: String?, _ body: () throws -> Result
    ) throws -> Result {
        writer.lock()
        defer { writer.unlock() }
        let (result, writes, _) = try collectWrites(in: domain.identity, over: contents(of: domain).tree, body)
        try set(writes, in: domain.identity, author: author)
        return result
    }
}
