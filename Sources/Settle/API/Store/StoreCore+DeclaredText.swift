/// Domains in which a setting is found once it is declared: those of text, and those that can't list their keys.
extension StoreCore {
    /// A key that is declared or registered.
    struct TextKey {
        let key: SettingKey
        let kind: CommandLineOption.Kind
        /// Computed only for sources that look keys up.
        let shape: () -> ValueShape
    }

    /// The variables that a domain has for settings that are about to be declared.
    struct VariablesLook {
        fileprivate let domain: AttachedDomain
        fileprivate let source: EnvironmentSource
        fileprivate let look: EnvironmentSource.Look
    }

    /// Looks up the variables of settings that are about to be declared. May read files.
    ///
    /// - Throws: ``SettingsError`` if two keys have the same variable.
    func variables(for keys: [TextKey]) throws(SettingsError) -> [VariablesLook] {
        guard !keys.isEmpty else { return [] }
        do {
            return try domains.all.compactMap { domain in
                guard let source = domain.source as? EnvironmentSource else { return nil }
                return VariablesLook(domain: domain, source: source, look: try source.look(for: keys.map(\.key)))
            }
        } catch {
            throw SettingsError(.duplicateKey, "\(error)", underlying: error)
        }
    }

    /// Has the sources that can't list their keys look up settings that are about to be declared. May read files.
    func declareLookups(_ keys: [TextKey]) {
        guard !keys.isEmpty else { return }
        let sources = domains.all.compactMap { $0.source as? any LookupDomainSource }
        guard !sources.isEmpty else { return }
        let keys = keys.map { LookupKey($0.key, $0.shape(), isSecret: $0.kind == .secret) }
        for source in sources { source.declare(source is SecretStoreSource ? keys + earlierNames(of: keys) : keys) }
    }

    /// Returns the names that secrets had before a migration, which the secret store may still have.
    private func earlierNames(of keys: [LookupKey]) -> [LookupKey] {
        log.lock.withLock {
            keys.filter(\.isSecret).flatMap { key in
                log.stored.domains.oldNames(of: key.key)
                    .filter { log.stored.slots.declared(as: $0) == nil }
                    .map { LookupKey($0, key.shape, isSecret: true) }
            }
        }
    }

    /// Lets arguments, variables and lookups give values to settings. Requires the writer's lock, and that
    /// `declareLookups` has been called.
    ///
    /// - Parameter variables: The result of `variables(for:)`.
    func declareText(_ keys: [TextKey], _ variables: [VariablesLook]) {
        if let domain = domains[.arguments], let source = domain.source as? ArgumentsSource,
            let contents = source.declare(keys.map { CommandLineOption($0.key, $0.kind) })
        {
            deliver(.success(contents), to: domain)
        }
        for found in variables {
            guard let contents = found.source.declare(keys.map(\.key), found.look) else { continue }
            deliver(.success(contents), to: found.domain)
        }
        guard !keys.isEmpty else { return }
        for domain in domains.all {
            guard let source = domain.source as? any LookupDomainSource else { continue }
            let found = source.contents
            // A delivery wakes those that follow the store, who may open the group again.
            if found != contents(of: domain) { deliver(.success(found), to: domain) }
        }
    }

    /// Has the secret store give up the keys of settings that are not secrets: a group that was released may have
    /// declared them otherwise. Requires the writer's lock, and that the settings' group can be opened.
    func giveUpSecrets(_ keys: [TextKey]) {
        for case let source as SecretStoreSource in domains.all.map(\.source) {
            source.forget(keys.filter { $0.kind != .secret }.map(\.key))
        }
    }
}

extension GroupLayout {
    /// The settings that arguments, variables and lookups may set.
    var textKeys: [StoreCore.TextKey] {
        settings.compactMap { setting in
            guard setting.access != .owner else { return nil }
            return StoreCore.TextKey(
                key: setting.spelledKey, kind: CommandLineOption.Kind(of: setting.box),
                shape: { [declaration = setting.box.declaration] in declaration.shape })
        }
    }
}

extension CommandLineOption.Kind {
    fileprivate init(of box: AnySettingBox) {
        if box.isSecret {
            self = .secret
        } else if box.declaration.valueType == Bool.self {
            self = .flag
        } else {
            self = box.declaration.shape.kind == .array ? .list : .value
        }
    }

    /// Creates the kind of a registered key, from its value.
    init(of value: SettingValue) {
        self =
            switch value {
            case .bool: .flag
            case .array: .list
            default: .value
            }
    }
}
