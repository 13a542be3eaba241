/// Domains of text, in which a setting is found once it is declared.
extension StoreCore {
    /// A key that is declared or registered.
    struct TextKey {
        let key: SettingKey
        let kind: CommandLineOption.Kind
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

    /// Lets arguments and variables give values to settings. Requires the writer's lock.
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
    }
}

extension GroupLayout {
    /// The settings that arguments and variables may set.
    var textKeys: [StoreCore.TextKey] {
        settings.compactMap { setting in
            guard setting.access != .owner else { return nil }
            return StoreCore.TextKey(key: setting.spelledKey, kind: CommandLineOption.Kind(of: setting.box))
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
