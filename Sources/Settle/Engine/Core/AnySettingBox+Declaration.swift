/// Properties that the declaration determines, whatever the type of the value.
extension AnySettingBox {
    /// Whether the value must not be shown.
    final var isSecret: Bool { declaration.isSecret }

    /// The value of the application's domain, if it has one. Requires the writer's lock or the log's.
    final var committedOwnValue: any Sendable { held?.own?.erasedValue ?? committedValue }

    /// Encodes a value of this setting.
    final var encoder: @Sendable (any Sendable) throws -> SettingValue { declaration.encoder(adding: unknownFields) }

    /// The stored form of the default.
    final var encodedDefault: SettingValue? { try? declaration.encoder(erasedDefault) }

    /// Returns the declaration's rule that an error of `stage(decoding:)` and its variants reports. A codec may throw
    /// anything.
    final func brokenRule(_ error: any Error) -> String? {
        guard let rule = (error as? SettingsError)?.rule, declaration.ruleTexts.contains(rule) else { return nil }
        return rule
    }

    /// The value as the calling thread sees it, unless it is a secret.
    final var spelledValue: String { "\(Redacted(visibleValue, isSecret: isSecret))" }
}
