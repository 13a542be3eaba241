public import Foundation
public import Settle
public import SettleInterchange

/// Takes what a program has kept in `UserDefaults` into a store.
///
/// ```swift
/// let old = UserDefaultsImport(domain: "com.example.app", [
///     "LaunchCount": "launches",                                      // another name
///     "nextCheck": .spelled(.secondsSinceReferenceDate(), "lock.nextCheckDate"),
///     "NSWindow Frame Main": .ignored,
/// ])
/// let report = try await old.run(into: store)
/// for entry in report.left { print(entry) }
/// ```
///
/// **Open all groups first**: a declared setting checks its rule, and takes what the defaults system would convert to
/// its type, such as `"5"` for an `Int` and 1 for a `Bool`. A value that it refuses is left where it is, and does not
/// keep others from being taken. Keys that no group declares keep their values as they are. `UserDefaults` is only
/// read.
///
/// A key with dots is one name in `UserDefaults`. It is taken for the declared setting whose key is spelled that way,
/// such as `lock.attempts` of a group at `lock`. If there is none, it stays one name, as in `SettingKey.path(_:_:)`;
/// name another key for it to nest it.
///
/// Everything is taken in one commit, which is on stable storage when ``run(into:author:)`` returns.
public struct UserDefaultsImport: Sendable {
    /// What becomes of a key.
    public enum Target: Sendable, ExpressibleByStringLiteral {
        /// Its value is that of a key of the store.
        case key(SettingKey)
        /// Its value is spelled in a way of its own, such as a date in seconds; see `ArchiveMapping.Value`.
        case spelled(ArchiveMapping.Value, SettingKey)
        /// It has an archive of `NSKeyedArchiver`, whose fields are the settings at a key, or at the top level.
        case archive(ArchiveMapping, SettingKey?)
        /// It is left where it is.
        case ignored

        /// A key of the store. Ends the program if a name in the literal is empty.
        public init(stringLiteral key: String) { self = .key(SettingKey(stringLiteral: key)) }
    }

    /// What becomes of the keys that are not named.
    public enum Others: Sendable, Hashable {
        /// They are taken under their own names.
        case taken
        /// The names of settings that a group at the path declares are taken, and nothing else. `nil` is the top level.
        case declared(at: SettingKey?)
        /// They are left where they are.
        case left
    }

    /// How often the import does something.
    public enum Frequency: Sendable, Hashable {
        /// In the life of the store's file. Another run, in any process, takes nothing: the file has the key
        /// ``UserDefaultsImport/memory`` then, written in the same transaction. A domain without values is not an
        /// import.
        case once
        /// Each time. What `UserDefaults` has replaces what the store has.
        case always
    }

    /// Where a store remembers what was imported once: under this name, and in it that of the domain, with the time.
    public static let memory = "importedFromUserDefaults"

    /// The name of the domain, by which the store remembers it.
    public var name: String
    /// What becomes of each key.
    public var targets: [String: Target]
    /// What becomes of the keys that are not named.
    public var others: Others
    /// How often the import does something.
    public var frequency: Frequency

    let read: @Sendable () throws -> Domain?

    /// What is there.
    struct Domain: Sendable {
        var entries: SettingValue.Entries
        /// The keys whose values no property list can have.
        var refused: [String] = []
    }

    /// Imports a domain of this user, such as that of this program or of an app group, as it is when the import runs.
    ///
    /// - Parameters:
    ///   - domain: Its name: on Apple platforms a bundle identifier, elsewhere the name of the program.
    ///   - targets: What becomes of each key.
    ///   - others: What becomes of the keys that are not named.
    ///   - frequency: How often the import does something.
    public init(
        domain: String, _ targets: [String: Target] = [:], others: Others = .taken, frequency: Frequency = .once
    ) {
        self.init(domain, targets, others, frequency) {
            UserDefaults.standard.persistentDomain(forName: domain).map { Domain($0) }
        }
    }

    /// Imports what `UserDefaults` gives now: its own domain, and those that it searches. Of registered defaults and
    /// arguments nothing is taken, and of the global domain, which has the keys of the whole system, only what is
    /// named; a key that has the same value in one of these is taken for one of theirs.
    ///
    /// - Parameters:
    ///   - defaults: Read at once, since it can't be used from other threads everywhere.
    ///   - name: The name by which the store remembers it.
    ///   - targets: What becomes of each key.
    ///   - others: What becomes of the keys that are not named.
    ///   - frequency: How often the import does something.
    public init(
        _ defaults: UserDefaults, name: String, _ targets: [String: Target] = [:], others: Others = .taken,
        frequency: Frequency = .once
    ) {
        var values = defaults.dictionaryRepresentation()
        func leaveOut(_ others: [String: Any]?) {
            for (key, value) in SettingValue.entries(others ?? [:]).entries
            where values[key].flatMap(SettingValue.init(object:)) == value {
                values[key] = nil
            }
        }
        leaveOut(defaults.volatileDomain(forName: UserDefaults.registrationDomain))
        leaveOut(defaults.volatileDomain(forName: UserDefaults.argumentDomain))
        leaveOut(defaults.persistentDomain(forName: UserDefaults.globalDomain)?.filter { targets[$0.key] == nil })
        let domain = Domain(values)
        self.init(name, targets, others, frequency) { domain }
    }

    /// Imports the property list file of a domain, as `~/Library/Preferences` has them, from this or another machine.
    ///
    /// - Parameters:
    ///   - file: In XML, or in the binary or the old text form. A file that is missing is a domain without values.
    ///   - targets: What becomes of each key.
    ///   - others: What becomes of the keys that are not named.
    ///   - frequency: How often the import does something. The store remembers the name of the file without `.plist`.
    public init(
        contentsOf file: URL, _ targets: [String: Target] = [:], others: Others = .taken,
        frequency: Frequency = .once
    ) {
        self.init(file.deletingPathExtension().lastPathComponent, targets, others, frequency) {
            let data: Data
            do {
                data = try Data(contentsOf: file)
            } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
                return nil
            }
            guard case .dictionary(let entries) = try PropertyList.read(data).list.value else {
                throw SettingsError(.importRefused, "“\(file.path)” is not a domain: it has no keys.")
            }
            return Domain(entries: entries)
        }
    }

    private init(
        _ name: String, _ targets: [String: Target], _ others: Others, _ frequency: Frequency,
        _ read: @escaping @Sendable () throws -> Domain?
    ) {
        self.name = name
        self.targets = targets
        self.others = others
        self.frequency = frequency
        self.read = read
    }
}

extension UserDefaultsImport.Domain {
    init(_ values: [String: Any]) { (entries, refused) = SettingValue.entries(values) }
}
