import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoreCore {
    /// Adds domains to a store that is not shared yet, highest first. It has no settings yet, so nothing is published.
    ///
    /// - Parameters:
    ///   - languages: The user's languages; `nil` to determine them.
    ///   - renamed: The keys that migrations have renamed: other domains may still have the earlier names.
    func add(_ loaded: [LoadedDomain], languages: [String]?, renamed: RenamedKeys) {
        domains.begin(with: loaded.map(\.domain))
        let layers = loaded.map { domain, contents in
            DomainStack.Layer(
                domain: domain.identity, contents: contents.map { initialContents($0, of: domain) } ?? DomainContents())
        }
        let stack = DomainStack(layers, renaming: renamed.forDomains)
        writer.withLock { log.lock.withLock { log.stored.domains = stack } }
        guard domains[.language] != nil else { return }
        writer.lock()
        defer { writer.unlock() }
        // This process's variables say nothing about another user.
        let variables = home == nil ? ProcessInfo.processInfo.environment : [:]
        self.languages.order = LanguageOrder.languages(
            preferred: languages ?? preferredLanguages, environment: variables)
    }

    /// Adds a domain with its values behind another one, or first.
    func add(_ loaded: LoadedDomain, after other: AttachedDomain?) {
        insert(loaded.domain, after: other)
        if let contents = loaded.contents { deliver(contents, to: loaded.domain) }
    }

    /// The home of the other user whose store it is; `nil` for a store of this process's own.
    var home: UserHome? { (persister.storage as? FileStorage)?.home }

    /// The domains' value for the key that Apple's systems use.
    private var preferredLanguages: [String]? {
        let value = log.lock.withLock {
            log.stored.domains.effectiveValue(
                at: SettingKey(name: "AppleLanguages"), own: FoundValue(log.stored.tree["AppleLanguages"]))
        }
        return value.flatMap { try? SettingCodec<[String]>.standard.decode($0) }
    }

    /// Adds a domain behind another one, or first.
    func insert(_ domain: AttachedDomain, after other: AttachedDomain?) {
        domains.insert(domain, after: other)
        writer.withLock { log.lock.withLock { log.stored.domains.insert(domain.identity, after: other?.identity) } }
    }

    /// Begins to load domains again when their sources change. Returns before settings files are watched: a file's
    /// watch begins with a check of whether it has changed since it was loaded.
    func follow(_ domains: [AttachedDomain]) {
        let files = domains.filter { $0.source is FileDomainSource }
        for domain in domains where !(domain.source is FileDomainSource) { follow(domain) }
        guard !files.isEmpty else { return }
        // There, because finding a file's folder may block.
        persister.enqueue { [weak self] persister in
            for domain in files { self?.follow(domain) }
        }
    }

    /// Begins to load a domain again when its source changes.
    func follow(_ domain: AttachedDomain) {
        guard let source = domain.source else { return }
        let follower = DomainFollower(of: source) { [weak self] in self?.deliver($0, to: domain) }
        if !domains.follow(domain, with: follower) { Task.detached { await follower.end() } }
    }

    /// Returns a domain that code is about to change.
    ///
    /// - Throws: ``SettingsError`` if the store does not search it, or within a transaction of the store: that
    ///   transaction writes the application's domain, and its end could not take the change back.
    func domainToChange(_ name: DomainName) throws(SettingsError) -> AttachedDomain {
        guard let domain = domains[name] else { throw .notSearched(name, domains.all.map(\.name)) }
        guard !isInTransaction else { throw .insideTransaction(name) }
        return domain
    }

    /// Removes a domain with its values.
    func remove(_ domain: AttachedDomain) async throws {
        let follower = domains.remove(domain)
        await follower?.end()
        try await runBlocking { [self] in
            // One step: values that a follower delivers in between, which began too late to be ended above, would stay
            // in force.
            try writer.withLock {
                try replace(DomainContents(), in: domain.identity)
                log.lock.withLock { log.stored.domains.remove(domain.identity) }
            }
        }
    }

    /// Takes over the contents of a source; or, if they can't be read, keeps the last good values.
    func deliver(_ contents: Result<DomainContents, StorageError>, to domain: AttachedDomain) {
        switch contents {
        case .success(let loaded):
            if !domain.hasFailed.exchange(false, ordering: .relaxed), isInForce(loaded, in: domain) { return }
            writer.lock()
            defer { writer.unlock() }
            let contents = newest(loaded, of: domain)
            report(contents.problems, in: domain)
            // Only a closed store throws.
            guard (try? replace(contents, in: domain.identity)) != nil else { return }
            // In force now. Tasks that the change wakes read it: they are woken once the writer's lock is released.
            domain.token.withLock { $0 = contents.token }
        case .failure(let error): reportFailure(error, of: domain)
        }
    }

    /// Returns the values with which a domain begins: those that were loaded, or none.
    private func initialContents(
        _ contents: Result<DomainContents, StorageError>, of domain: AttachedDomain
    ) -> DomainContents {
        switch contents {
        case .success(let loaded):
            var contents = newest(loaded, of: domain)
            if !contents.problems.isEmpty { report(contents.problems, in: domain) }
            // As in `replace(_:in:author:)`.
            _ = MigrationRecord(takenFrom: &contents.tree)
            let token = contents.token
            domain.token.withLock { $0 = token }
            return contents
        case .failure(let error):
            reportFailure(error, of: domain)
            return DomainContents()
        }
    }

    /// Returns the contents of a source that looks keys up: settings may have been declared since it was loaded.
    private func newest(_ loaded: DomainContents, of domain: AttachedDomain) -> DomainContents {
        if let source = domain.source as? EnvironmentSource { return source.contents }
        if let source = domain.source as? any LookupDomainSource { return source.contents }
        return loaded
    }

    private func reportFailure(_ error: StorageError, of domain: AttachedDomain) {
        domain.hasFailed.store(true, ordering: .relaxed)
        report(["\(error)"], in: domain, error)
    }

    /// Returns whether a domain in a file has these contents already. Most checks of a file find nothing new, the first
    /// ones while an app opens its groups: they must not take the writer's lock for that.
    private func isInForce(_ contents: DomainContents, in domain: AttachedDomain) -> Bool {
        guard domain.source is FileDomainSource else { return false }
        let current = log.lock.withLock { log.stored.domains.contents(of: domain.identity) }
        return current == contents
    }

    private func report(_ problems: [String], in domain: AttachedDomain, _ error: StorageError? = nil) {
        writer.lock()
        defer { writer.unlock() }
        for problem in reports.new(among: problems, in: domain.name) {
            reportAfterUnlock(.domain(domain.name, problem, error))
        }
    }
}
