/// The reason why a setting could not be declared, written or saved.
///
/// A kind of error is caught by its code:
///
/// ```swift
/// do {
///     try await store.commit(ifUnchangedSince: token) { … }
/// } catch SettingsError.conflict {
///     …
/// }
/// ```
@dynamicMemberLookup
public struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// An extensible kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Creates a code for custom errors.
        public init(_ description: String) { self.description = description }

        /// Whether an error is a ``SettingsError`` of this kind.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? SettingsError)?.code == code }

        /// The value breaks the setting's rule, or is a date that is not finite.
        public static let invalidValue = Code("invalidValue")
        /// A declaration's rule makes no sense, such as a pattern that is not a regular expression.
        public static let invalidRule = Code("invalidRule")
        /// The store has been closed.
        public static let closed = Code("closed")
        /// The group was made by its initializer and not by a store, so nothing in it can be saved.
        public static let notOpened = Code("notOpened")
        /// The group was released with ``SettingsStore/release(at:)``.
        public static let released = Code("released")
        /// A setting was written while it was being changed in place.
        public static let overlappingChange = Code("overlappingChange")
        /// Two settings have one key, or one's key lies within the other's.
        public static let duplicateKey = Code("duplicateKey")
        /// A group has settings or groups where no store finds them, such as in an array.
        public static let unreachable = Code("unreachable")
        /// A group is not a struct, or a setting's values are of a class with variables, whose changes no store would
        /// notice.
        public static let invalidType = Code("invalidType")
        /// A group has a variable that is not a setting, so it is never saved.
        public static let notASetting = Code("notASetting")
        /// A key is empty or has an empty part.
        public static let invalidKey = Code("invalidKey")
        /// A name can't be used for a store, a lock or a setting.
        public static let invalidName = Code("invalidName")
        /// A stored value does not convert to the setting's type, or breaks its rule.
        public static let unusableValue = Code("unusableValue")
        /// A value could not be converted for saving: its own `encode` or its codec has thrown, or the storage can't
        /// hold the value.
        public static let encodingFailed = Code("encodingFailed")
        /// A value is too large for settings; see ``SettingsStore/Configuration/valueSizeLimit``.
        public static let largeValue = Code("largeValue")
        /// The setting belongs to its owner and can't be written by key; see ``SettingsAccess/owner``.
        public static let protected = Code("protected")
        /// An administrator has locked the setting; see ``DomainName/managed``.
        public static let locked = Code("locked")
        /// A setting of the secret store was written elsewhere, or the store has no secret store; see
        /// ``SettingStorage/secrets``. Or the settings have a value that belongs to the secret store.
        public static let secretStore = Code("secretStore")
        /// A written value is stored, but another domain's is in force.
        public static let covered = Code("covered")
        /// A domain is not used, or not as it is now.
        public static let domain = Code("domain")
        /// A draft was not applied, because settings that it was to write have changed since; see ``Draft/conflicts``.
        public static let draftConflict = Code("draftConflict")
        /// A conditional commit has not begun, because something has been stored since its token; see
        /// ``SettingsError/conflict``.
        public static let conflict = Code("conflict")
        /// The history is not known, or no longer.
        public static let historyUnavailable = Code("historyUnavailable")
        /// A transaction can't be undone.
        public static let notUndoable = Code("notUndoable")
        /// There is no commit to confirm or to revert, or its time is over.
        public static let nothingUnconfirmed = Code("nothingUnconfirmed")
        /// This can't be done inside a transaction.
        public static let insideTransaction = Code("insideTransaction")
        /// The part of a value to be written no longer exists; see ``SettingPart``.
        public static let missingPart = Code("missingPart")
        /// The log does not hold the requested revision any longer, or not yet.
        public static let revisionUnavailable = Code("revisionUnavailable")
        /// The storage failed; `underlying` is its error.
        public static let storage = Code("storage")
        /// A commit could not begin: its closure has not run, and nothing has changed. `underlying` is the reason. A
        /// commit whose values could not be saved throws ``storage`` instead.
        public static let commitNotBegun = Code("commitNotBegun")
        /// A commit was undone after it had run 17 times or more, and for 10 s or more: each time others had stored
        /// something before it. Only where the storage has no lock for transactions.
        public static let tooManyConflicts = Code("tooManyConflicts")
        /// A transaction wrote more keys than the storage can store at once. It was undone.
        public static let tooManyKeys = Code("tooManyKeys")
        /// The values that a transaction wrote have together more bytes than the storage can store at once. It was
        /// undone.
        public static let tooManyBytes = Code("tooManyBytes")
        /// No group has declared the key, where only declared keys are accepted.
        public static let unknownKey = Code("unknownKey")
        /// Data was not imported; ``SettingsError/problems`` has the reason for each key.
        public static let importRefused = Code("importRefused")
        /// A save of the value failed, and by the time of the next try an external change had stored a newer value:
        /// that one is in force, and this one was given up.
        public static let superseded = Code("superseded")
        /// An update was undone, but its closure had also written to another store, where the writes stay.
        public static let partlyUndone = Code("partlyUndone")
        /// The file is open in this process with another format or configuration.
        public static let alreadyOpen = Code("alreadyOpen")
        /// A blocking flush was called during a write.
        public static let flushInsideWrite = Code("flushInsideWrite")
        /// A named lock was requested again by the code that already holds it.
        public static let nestedLock = Code("nestedLock")
        /// Timed out waiting for a named lock.
        public static let lockTimedOut = Code("lockTimedOut")
        /// A named lock ended while its closure ran, because the storage could not be reached in time.
        public static let lockLost = Code("lockLost")
        /// A migration has failed, or can't be made. The stored values are unchanged.
        public static let migrationFailed = Code("migrationFailed")
        /// Stored state is damaged, and is set aside before it is written again.
        public static let recovered = Code("recovered")
        /// Stored state was removed while no store was open, as something beside it shows.
        public static let removed = Code("removed")
    }

    /// A code, for `catch SettingsError.conflict`.
    public static subscript(dynamicMember code: KeyPath<Code.Type, Code>) -> Code { Code.self[keyPath: code] }

    /// The kind of error.
    public var code: Code
    /// The full key concerned, if there is one.
    public var key: String?
    /// The refused value, if there is one.
    public var value: (any Sendable)?
    /// The rule that was broken, if there is one.
    public var rule: String?
    /// The error that caused this one, if there is one.
    public var underlying: (any Error)?
    /// A sentence that the user can act on.
    public var description: String

    /// Creates an error. The description is a sentence that the user can act on, and must not show a secret.
    public init(
        _ code: Code, _ description: String, key: String? = nil, value: (any Sendable)? = nil, rule: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.description = description
        self.key = key
        self.value = value
        self.rule = rule
        self.underlying = underlying
    }
}
