import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The domains of a search list, ready for a store.
struct SearchedDomains: Sendable {
    /// Without the application's, highest first.
    let domains: [AttachedDomain]
    /// The user's languages, if they were given.
    private(set) var languages: [String]?

    /// - Throws: ``SettingsError`` if two domains have one name, or a place or a prefix is not valid.
    init(_ list: SearchList, _ places: DomainLocations) throws(SettingsError) {
        let names = list.domains.map(\.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw SettingsError(
                .domain, "The domain “\(name)” is twice in the search list. A store asks each domain once.")
        }
        let end = names.firstIndex(of: .application) ?? names.endIndex
        var domains: [AttachedDomain] = []
        for (index, domain) in list.domains.enumerated() where index != end {
            if case .language(let languages) = domain.kind { self.languages = languages }
            do {
                domains.append(try domain.opened(isAbove: index < end, places))
            } catch {
                throw SettingsError(
                    .domain, "The domain “\(domain.name)” can't be searched: \(error)", underlying: error)
            }
        }
        self.domains = domains
    }

    /// Loads all of them, some at the same time. May block.
    ///
    /// - Throws: ``SettingsError`` if one that is required can't be loaded.
    func loaded() async throws(SettingsError) -> [LoadedDomain] {
        let results = await loadedSources()
        var loaded: [LoadedDomain] = []
        for (index, domain) in domains.enumerated() {
            let contents = results[index]
            if case .failure(let error)? = contents, domain.source?.isRequired == true {
                throw .domain(domain.name, "\(error)", error)
            }
            loaded.append((domain, contents))
        }
        return loaded
    }

    /// With fewer sources a second thread takes longer to start than it saves.
    private static let sourcesOfOneThread = 3

    /// What the sources have, by the indices of the domains.
    private func loadedSources() async -> [Int: Result<DomainContents, StorageError>] {
        let sources = domains.enumerated().compactMap { index, domain in domain.source.map { (index, $0) } }
        let next = Atomic(0)
        let loadMany = { @Sendable () async -> [Int: Result<DomainContents, StorageError>] in
            var loaded: [Int: Result<DomainContents, StorageError>] = [:]
            while true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard number < sources.count else { return loaded }
                let (index, source) = sources[number]
                loaded[index] = await Result(loading: source)
            }
        }
        guard sources.count > Self.sourcesOfOneThread else { return await loadMany() }
        async let others = runBlocking { await loadMany() }
        let loaded = await loadMany()
        return await others.merging(loaded) { $1 }
    }
}

extension SearchList.Domain {
    fileprivate func opened(isAbove: Bool, _ places: DomainLocations) throws -> AttachedDomain {
        func domain(
            _ origin: ValueOrigin, _ source: (any DomainSource)? = nil, locksKeys: Bool = false,
            isVolatile: Bool = false,
            file: URL? = nil, home: UserHome? = nil
        ) -> AttachedDomain {
            let identity = DomainIdentity(name, origin, isAbove: isAbove, locksKeys: locksKeys, isVolatile: isVolatile)
            return AttachedDomain(identity, source: source, file: file, home: home)
        }
        switch kind {
        case .application: return domain(.local)
        case .overrides: return domain(.override, isVolatile: true)
        case .registration: return domain(.registration, isVolatile: true)
        case .language: return domain(.language, isVolatile: true)
        case .arguments(let arguments):
            let arguments = arguments ?? Array(CommandLine.arguments.dropFirst())
            return domain(.arguments, ArgumentsSource(arguments), isVolatile: true)
        case .environment(let prefix, let variables):
            let source = try EnvironmentSource(
                prefix: prefix ?? places.environmentPrefix,
                variables: variables ?? ProcessInfo.processInfo.environment)
            return domain(.environment, source, isVolatile: true)
        case .secrets(let folder): return domain(.secrets, SecretsFolderSource(FilePath(folder)))
        case .managed(let folder):
            let path = folder.map { FilePath($0) } ?? StandardLocation.managedFolder.map { FilePath($0) }
            let source = path.map { ManagedDomainSource(places.id, in: $0, isExplicit: folder != nil) }
            return domain(.managed, source, locksKeys: true, isVolatile: path == nil)
        case .file(let standard, let url):
            let (file, home) = try places.place(of: standard, at: url)
            let isWritable = standard != .system
            return domain(
                standard.origin, FileDomainSource(at: file, home: home), file: isWritable ? file : nil, home: home)
        case .source(let source, let locksKeys): return domain(.domain, source, locksKeys: locksKeys)
        }
    }
}

extension SearchList.Domain.StandardFile {
    fileprivate var origin: ValueOrigin {
        switch self {
        case .host: .host
        case .global: .global
        case .system: .system
        case .suite: .suite
        }
    }
}
