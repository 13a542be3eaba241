/// Domains of text, in which a setting is found once it is declared.
extension StoreCore {
    /// A key that is declared or registered.
    struct TextKey {
        let key: SettingKey
        let kind: CommandLineOption.Kind
    }

    /// What the environment has for settings that are about to be declared. May read files.
    ///
    /// - Throws: ``SettingsError`` if two keys have the same variable.
    func environmentValues(for keys: [TextKey]) throws(SettingsError) -> EnvironmentValues? {
        guard let source = domains[.environment]?.source as? EnvironmentSource, !keys.isEmpty else { return nil }
        do {
            return try source.look(for: keys.map(\.key))
        } catch {
            throw SettingsError(.duplicateKey, "\(error)", underlying: error)
        }
    }

    /// Lets arguments and variables give values to settings. Under the writer's lock.
    ///
    /// - Parameter environment: What `environmentValues(for:)` has found.
    func declareText(_ keys: [TextKey], _ environment: EnvironmentValues?) {
        if let domain = domains[.arguments], let source = domain.source as? ArgumentsSource,
            let contents = source.declare(keys.map { CommandLineOption($0.key, $0.kind) })
        {
            deliver(.success(contents), to: domain)
        }
        if let environment, let domain = domains[.environment], let source = domain.source as? EnvironmentSource,
            let contents = source.declare(keys.map(\.key), environment)
        {
            deliver(.success(contents), to: domain)
        }
    }
}

extension GroupLayout {
    /// The settings that arguments and variables may set.
    var textKeys: [StoreCore.TextKey] {
        settings.compactMap { setting in
            guard setting.access != .owner else { return nil }
            let kind: CommandLineOption.Kind =
                setting.box.isSecret ? .secret : setting.box.declaration.valueType == Bool.self ? .flag : .value
            return StoreCore.TextKey(key: setting.spelledKey, kind: kind)
        }
    }
}
