import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The domains of a search list, ready for a store.
struct SearchedDomains: Sendable {
    /// All domains but the application's, highest first.
    let domains: [AttachedDomain]
    /// The user's languages, if they were given.
    private(set) var languages: [String]?

    /// - Throws: ``SettingsError`` if two domains have the same name, or a location or a prefix is not valid.
    init(_ list: SearchList, _ places: DomainLocations) throws(SettingsError) {
        let names = list.domains.map(\.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw SettingsError(
                .domain, "The domain “\(name)” is in the search list twice. List each domain once.")
        }
        let end = names.firstIndex(of: .application) ?? names.endIndex
        lazy var variables = list.variables ?? ProcessInfo.processInfo.environment
        var domains: [AttachedDomain] = []
        for (index, domain) in list.domains.enumerated() where index != end {
            if case .language(let languages) = domain.kind { self.languages = languages }
            do {
                domains.append(try domain.opened(isAbove: index < end, places, variables))
            } catch {
                throw SettingsError(
                    .domain, "The domain “\(domain.name)” can't be searched: \(error)", underlying: error)
            }
        }
        self.domains = domains
    }

    /// Loads all domains, some at the same time. May block.
    ///
    /// - Throws: ``SettingsError`` if a required domain can't be loaded.
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

    /// Loads all domains, if that needs only what the system has in memory. Never blocks.
    ///
    /// - Returns: `nil` otherwise, and if a domain can't be loaded.
    func loadedAtOnce(by calls: CachedSystemCalls) -> [LoadedDomain]? {
        var loaded: [LoadedDomain] = []
        for domain in domains {
            guard let source = domain.source else {
                loaded.append((domain, nil))
                continue
            }
            // Other sources have no calls that never block.
            guard let contents = (source as? FileDomainSource)?.loadAtOnce(by: calls) else { return nil }
            loaded.append((domain, .success(contents)))
        }
        return loaded
    }

    /// With fewer sources a second thread takes longer to start than it saves.
    private static let sourcesOfOneThread = 3

    /// Returns the contents of the sources, by the indices of the domains.
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
    /// - Parameter variables: The variables of the environment.
    fileprivate func opened(
        isAbove: Bool, _ places: DomainLocations, _ variables: @autoclosure () -> [String: String]
    ) throws -> AttachedDomain {
        func domain(
            _ origin: ValueOrigin, _ source: (any DomainSource)? = nil, locksKeys: Bool = false,
            isVolatile: Bool = false,
            file: URL? = nil, home: UserHome? = nil
        ) -> AttachedDomain {
            let identity = DomainIdentity(name, origin, isAbove: isAbove, locksKeys: locksKeys, isVolatile: isVolatile)
            return AttachedDomain(identity, source: source, file: file, home: home)
        }
        func secretStore(_ store: any SecretStore) throws(StorageError) -> AttachedDomain {
            guard isAbove else {
                throw StorageError(
                    .unsupported, "It has to come before the application's domain, which must not cover its secrets.")
            }
            let identity = DomainIdentity(name, .secrets, isAbove: true, isVolatile: false, holdsSecrets: true)
            return AttachedDomain(identity, source: SecretStoreSource(store))
        }
        switch kind {
        case .application: return domain(.local)
        case .overrides: return domain(.override, isVolatile: true)
        case .registration: return domain(.registration, isVolatile: true)
        case .language: return domain(.language, isVolatile: true)
        case .arguments(let arguments):
            let arguments = arguments ?? Array(CommandLine.arguments.dropFirst())
            return domain(.arguments, ArgumentsSource(arguments), isVolatile: true)
        case .environment(let prefix, _):
            let source = try EnvironmentSource(prefix: prefix ?? places.environmentPrefix, variables: variables())
            return domain(.environment, source, isVolatile: true)
        case .environmentFile(let url, let prefix):
            let (file, home) = places.ownership(of: url)
            let source = try EnvironmentSource(prefix: prefix ?? places.environmentPrefix, file: file, home: home)
            return domain(.environment, source, home: home)
        case .secrets(let folder):
            let path = folder.map { FilePath($0) } ?? variables().credentialsFolder
            return domain(.secrets, path.map { SecretsFolderSource($0) }, isVolatile: path == nil)
        case .secretFolder(let folder): return try secretStore(SecretFolder(FilePath(folder)))
        case .secretStore(let store): return try secretStore(store)
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

extension SearchList {
    /// The variables that the list gives to the environment.
    fileprivate var variables: [String: String]? {
        for case .environment(_, let variables?) in domains.lazy.map(\.kind) { return variables }
        return nil
    }
}

extension [String: String] {
    /// The folder in which systemd puts the credentials of a service.
    fileprivate var credentialsFolder: FilePath? {
        self["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
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
