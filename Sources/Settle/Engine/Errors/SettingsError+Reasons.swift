extension SettingsError {
    // All of these also leave out a coder's message about a value that must not be shown.

    static func invalidValue(key: SettingKey, value: Redacted<some Sendable>, rule: String) -> SettingsError {
        SettingsError(
            .invalidValue,
            "\(quoted(key)) can't be \(value.short): it must \(demand(rule)).\(oldValueStays)",
            key: key.description, value: value.shown, rule: rule)
    }

    /// Returns a rule as the end of “it must …”. The rule of a count, such as `of 1 to 64 characters`, describes the
    /// contents of a value.
    private static func demand(_ rule: String) -> String {
        rule.hasPrefix("of ") ? "have \(rule.dropFirst(3))" : "be \(rule)"
    }

    static let oldValueStays = " The old value stays."

    /// Returns the error for a declaration's default that breaks the declaration's rule.
    ///
    /// - Parameter name: The declaration, such as `PasscodeSettings.attemptCount`.
    static func invalidDefault(_ name: String, key: SettingKey, _ violation: SettingsError) -> SettingsError {
        let value = Redacted(shown: violation.value).short
        return SettingsError(
            .invalidValue,
            "The default of \(name) can't be \(value): it must \(demand(violation.rule ?? "another value")). Give the "
                + "setting another default or another rule.",
            key: key.description, value: violation.value, rule: violation.rule)
    }

    /// - Parameters:
    ///   - name: The declaration, such as `PasscodeSettings.attemptCount`.
    ///   - defect: A sentence without its period.
    static func invalidRule(_ name: String, key: SettingKey, _ defect: String) -> SettingsError {
        SettingsError(.invalidRule, "\(name) has a rule that no value can satisfy: \(defect).", key: key.description)
    }

    /// - Parameter part: As written after the key, such as `[3]`.
    static func missingPart(_ key: String, _ part: String) -> SettingsError {
        SettingsError(
            .missingPart,
            "\(quoted(key, part)) can't be written: the setting's value has no such part now. The value stays as it is.",
            key: key)
    }

    /// Returns the error for writing `nil` to a part that is not optional.
    static func neededPart(_ key: String, _ part: String) -> SettingsError {
        SettingsError(
            .invalidValue,
            "\(quoted(key, part)) can't be nil: it is not optional.\(oldValueStays)", key: key)
    }

    static func duplicateKey(
        _ key: SettingKey, _ name: String, _ otherKey: SettingKey, _ otherName: String
    ) -> SettingsError {
        let description =
            key == otherKey
            ? "\(name) and \(otherName) both have the key “\(key)”. Give one of them another key: @Setting(\"…\")."
            : "The key “\(key)” of \(name) and the key “\(otherKey)” of \(otherName) overlap. Give one of "
                + "them another key: @Setting(\"…\")."
        return SettingsError(.duplicateKey, description, key: key.description)
    }

    static func closed(key: String?) -> SettingsError {
        let what = key.map { "\(quoted($0)) can't be written" } ?? "This can't be done"
        return SettingsError(.closed, "\(what): the store has been closed.", key: key)
    }

    static func released(key: SettingKey) -> SettingsError {
        SettingsError(
            .released,
            "\(quoted(key)) can't be written: its group was released with `release(at:)`. Open it again.",
            key: key.description)
    }

    /// - Parameter other: The path of an open group that has the same text except for backslashes.
    static func noGroup(at path: SettingKey?, spelled other: SettingKey?) -> SettingsError {
        let place = path.map { "at “\($0)”" } ?? "in this store"
        let hint = other.map {
            " One is open at “\($0)”: escape dots in a name with backslashes, or use `.path(_:_:)`."
        }
        return SettingsError(
            .unknownKey, "Nothing can be released: no group is open \(place).\(hint ?? "")", key: path?.description)
    }

    static func notOpened(_ group: any Any.Type) -> SettingsError {
        SettingsError(
            .notOpened,
            "\(group) can't be saved: it was created with its initializer, and no store has opened it. Write "
                + "`let settings = try await store.group(\(group).self)`.")
    }

    static func uncommittedDraft(_ group: any Any.Type) -> SettingsError {
        SettingsError(
            .notOpened, "\(group) can't be saved: it is a draft. Call the draft's own `apply()` or `commit()`.")
    }

    static let partlyUndone = SettingsError(
        .partlyUndone,
        "An update was undone, but its writes to another store stay: an update covers one store. Write to the other store "
            + "after the update.")

    static func overlappingChange(key: SettingKey) -> SettingsError {
        SettingsError(
            .overlappingChange,
            "\(quoted(key)) was written while it was being changed in place, which would lose one of the two values. The "
                + "written value stays.",
            key: key.description)
    }

    @inline(never) static func encodingFailed(key: SettingKey, isSecret: Bool, _ error: any Error) -> SettingsError {
        let reason = isSecret ? "its value, a secret, can't be encoded" : reason(error)
        // A storage's reason may already be a sentence.
        let end = reason.hasSuffix(".") ? "" : "."
        return SettingsError(
            .encodingFailed, "\(quoted(key)) can't be saved: \(reason)\(end) Its stored value stays as it was.",
            key: key.description, underlying: isSecret ? nil : error)
    }

    static func largeValue(key: SettingKey, size: Int, limit: Int) -> SettingsError {
        SettingsError(
            .largeValue,
            "The value of \(quoted(key)) takes about \(size) bytes, more than the recommended \(limit): each save "
                + "writes all of it. Store the data in a file, and its path here.",
            key: key.description)
    }

    /// - Parameters:
    ///   - rule: The declaration's rule that the value breaks, if that is the reason.
    ///   - inForce: The value used instead.
    static func unusableValue(
        key: SettingKey, stored: Redacted<SettingValue>, rule: String?, inForce: Substitute, _ error: any Error
    ) -> SettingsError {
        SettingsError(
            .unusableValue,
            "The stored value of \(quoted(key)) can't be used: \(reason(error, rule, isSecret: stored.isSecret)). "
                + inForce.sentence(isSecret: stored.isSecret)
                + "; the stored value is kept until the key is written.",
            key: key.description, value: stored.shown, rule: rule, underlying: stored.isSecret ? nil : error)
    }

    /// The value used instead of a stored value that can't be used.
    enum Substitute {
        case `default`
        /// As it was stored; `nil` if it never was.
        case lastGood(SettingValue?)

        fileprivate func sentence(isSecret: Bool) -> String {
            switch self {
            case .default: "The default is used instead"
            // These may contain a secret.
            case .lastGood(.dictionary), .lastGood(.array), .lastGood(nil): "The last good value stays in force"
            case .lastGood where isSecret: "The last good value stays in force"
            case .lastGood(let value?):
                "The last good value, \(Redacted(value, isSecret: isSecret).literal), stays in force"
            }
        }
    }

    /// - Parameters:
    ///   - owned: The key of the owner's setting that the write would change.
    ///   - declaration: Where that is declared.
    static func protected(_ key: SettingKey, by owned: SettingKey, _ declaration: String) -> SettingsError {
        let rule = "written by code that has its group"
        let reason =
            key == owned
            ? "it is \(declaration), which must be \(rule)"
            : "\(quoted(owned)) lies \(key.contains(owned) ? "within" : "around") it, which is \(declaration) and must be "
                + rule
        return SettingsError(
            .protected, "\(quoted(key)) can't be written by its key: \(reason).", key: key.description, rule: rule)
    }

    /// - Parameter differences: The values in force and the requested ones.
    static func alreadyOpen(
        _ file: String, _ differences: [(name: String, theirs: String, ours: String)]
    ) -> SettingsError {
        let reasons = differences.map { "its \($0.name) is \($0.theirs), but \($0.ours) was requested" }
        return SettingsError(
            .alreadyOpen,
            "“\(file)” is already open in this process: \(reasons.joined(separator: "; ")). Omit the options that "
                + "should not change, or close the store first.")
    }

    /// - Parameter byCommit: Whether a commit has written the value: then it is given up regardless of which external
    ///   changes there were.
    static func superseded(_ key: SettingKey, byCommit: Bool) -> SettingsError {
        let reason =
            byCommit
            ? "the commit that wrote it failed, and another change has been stored since"
            : "it could not be saved, and a newer value has been stored since, under this key or one that was written "
                + "together with it"
        return SettingsError(
            .superseded, "The value of \(quoted(key)) was given up: \(reason). The stored value is in force.",
            key: key.text)
    }

    package static func storage(_ error: any Error) -> SettingsError {
        SettingsError(.storage, "\(error)", underlying: error)
    }

    static func tooManyKeys(_ count: Int, limit: Int) -> SettingsError {
        SettingsError(
            .tooManyKeys,
            "The transaction was undone: it wrote \(count) keys, and the storage accepts \(limit) at once.")
    }

    static func tooManyBytes(_ size: Int, limit: Int) -> SettingsError {
        SettingsError(
            .tooManyBytes,
            "The transaction was undone: its values need \(size) bytes, and the storage accepts \(limit) at once.")
    }

    static func lockTimedOut(_ name: String, _ timeout: Duration, holder: String) -> SettingsError {
        let rounded = Duration.milliseconds((timeout / .milliseconds(1)).rounded())
        return SettingsError(
            .lockTimedOut, "The lock “\(name)” was not acquired within \(rounded): \(holder) holds it.")
    }

    static func lockLost(_ name: String) -> SettingsError {
        SettingsError(
            .lockLost,
            "The lock “\(name)” was lost while its closure ran: another process may have acquired it meanwhile. "
                + "Commits made under it since then have stored nothing.")
    }

    /// Returns the error for a failed commit of which nothing is stored.
    static func commitUndone(_ error: SettingsError) -> SettingsError {
        var undone = error
        undone.description = "The commit was undone, and nothing was stored: \(error)"
        return undone
    }

    /// Returns the error for a commit that was undone because others have stored something that it has not read.
    ///
    /// - Parameter attempts: How often its closure has run.
    static func commitUndone(_ error: StorageError, attempts: Int) -> SettingsError {
        guard error.code == .conflict, attempts > 1 else { return commitUndone(.storage(error)) }
        return SettingsError(
            .tooManyConflicts,
            "The commit was undone, and nothing was stored: it ran \(attempts) times, and each time another "
                + "change was stored first.", underlying: error)
    }

    /// Returns the error for a failed commit whose values stay in force.
    static func commitStands(_ error: StorageError) -> SettingsError {
        SettingsError(.storage, "The commit may have been stored, so it stays in force: \(error)", underlying: error)
    }

    /// Whether others have stored something that a commit would have had to know.
    var isConflict: Bool {
        (underlying as? StorageError).map { $0.code == .conflict && !$0.isOutcomeUnknown } ?? false
    }

    static func commitNotBegun(_ error: any Error) -> SettingsError {
        SettingsError(
            .commitNotBegun, "The commit could not begin, and nothing has changed: \(error)", underlying: error)
    }

    /// Returns the error for a value to be written that does not fit the setting's type.
    static func wrongType(
        key: SettingKey, given value: any Sendable, stored: Redacted<SettingValue>, _ error: any Error
    ) -> SettingsError {
        SettingsError(
            .unusableValue, "\(quoted(key)) can't be \(stored.summary): \(reason(error)).", key: key.description,
            value: stored.isSecret ? nil : value,
            underlying: error)
    }

    /// Returns the error for a secret to be written that does not fit the setting's type, or breaks its rule.
    static func refusedSecret(key: SettingKey, type: String, rule: String?) -> SettingsError {
        let reason = rule.map { "it must \(demand($0))" } ?? "it is not of type \(type)"
        return SettingsError(
            rule == nil ? .unusableValue : .invalidValue,
            "\(quoted(key)) can't be \(Redacted<SettingValue>(shown: nil)): \(reason).\(oldValueStays)",
            key: key.description, rule: rule)
    }

    /// Returns the error for a value that does not convert to the requested type.
    static func notConvertible(
        key: SettingKey, stored: Redacted<SettingValue>, to type: any Any.Type, _ error: any Error
    ) -> SettingsError {
        let reason = stored.isSecret ? "" : ": \(reason(error))"
        return SettingsError(
            .unusableValue, "\(quoted(key)) is not \(spelling(of: type))\(reason).", key: key.description,
            value: stored.shown,
            underlying: stored.isSecret ? nil : error)
    }

    /// Returns the reason, as the end of a sentence.
    static func reason(_ error: any Error, _ rule: String? = nil, isSecret: Bool = false) -> String {
        if let rule { return "it must \(demand(rule))" }
        if isSecret { return "it is not of the setting's type" }
        return (error as? SettingCodingError)?.reason ?? "\(error)"
    }

    static func quoted(_ key: SettingKey) -> String { quoted(key.description) }

    /// Returns a key in quotation marks. For a setting of a group that no store has opened and that has no key yet,
    /// returns a description.
    static func quoted(_ key: String) -> String {
        key.isEmpty ? "A setting whose group no store has opened" : "“\(key)”"
    }

    /// Returns the same for a part of the setting, such as `[3]`.
    static func quoted(_ key: String, _ part: String) -> String {
        key.isEmpty ? "The part \(part) of a setting whose group no store has opened" : quoted(key + part)
    }
}
