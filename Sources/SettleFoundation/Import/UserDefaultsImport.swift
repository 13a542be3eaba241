public import Foundation
public import Settle
public import SettleInterchange

/// Imports a program's values from `UserDefaults` into a store.
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
/// **Open all groups first**: a declared setting checks its rule, and takes values that the defaults system would
/// convert to its type, such as `"5"` for an `Int` and 1 for a `Bool`. A value that it refuses is left where
/// it is, and does not prevent others from being taken. Keys that no group declares keep their values
/// unchanged. `UserDefaults` is only read.
///
/// A key with dots is one name in `UserDefaults`. It is taken for the declared setting whose key is spelled that way,
/// such as `lock.attempts` of a group at `lock`. If there is none, it stays one name, as in `SettingKey.path(_:_:)`;
/// specify another key to nest it.
///
/// Everything is taken in one commit, which is on stable storage when ``run(into:author:)`` returns.
public struct UserDefaultsImport: Sendable {
    /// The treatment of a key.
    public enum Target: Sendable, ExpressibleByStringLiteral {
        /// Its value becomes that of a key of the store.
        case key(SettingKey)
        /// Its value has a special spelling, such as a date in seconds; see `ArchiveMapping.Value`.
        case spelled(ArchiveMapping.Value, SettingKey)
        /// It has an archive of `NSKeyedArchiver`, whose fields become the settings at a key, or at the top level.
        case archive(ArchiveMapping, SettingKey?)
        /// It is not taken.
        case ignored

        /// Creates a target from a key of the store. Ends the program if a name in the literal is empty.
        public init(stringLiteral key: String) { self = .key(SettingKey(stringLiteral: key)) }
    }

    /// The treatment of the keys that are not named.
    public enum Others: Sendable, Hashable {
        /// They are taken under their own names.
        case taken
        /// The names of settings that a group at the path declares are taken, and nothing else. `nil` is the top level.
        case declared(at: SettingKey?)
        /// They are not taken.
        case left
    }

    /// How often the import takes values.
    public enum Frequency: Sendable, Hashable {
        /// Once in the life of the store's file. Another run, in any process, takes nothing: the file then has the key
        /// ``UserDefaultsImport/memory``, written in the same transaction. A domain without values is not an import.
        case once
        /// Each time. The values in `UserDefaults` replace those in the store.
        case always
    }

    /// The key under which a store remembers one-time imports: in it, the name of the domain, with the time.
    public static let memory = "importedFromUserDefaults"

    /// The name of the domain, by which the store remembers it.
    public var name: String
    /// The treatment of each key.
    public var targets: [String: Target]
    /// The treatment of the keys that are not named.
    public var others: Others
    /// How often the import takes values.
    public var frequency: Frequency

    let read: @Sendable () throws -> Domain?

    /// The contents of a domain.
    struct Domain: Sendable {
        var entries: SettingValue.Entries
        /// The keys whose values no property list can represent.
        var refused: [String] = []
    }

    /// Imports a domain of this user, such as that of this program or of an app group, in its state when the import
    /// runs.
    ///
    /// - Parameters:
    ///   - domain: Its name: on Apple platforms a bundle identifier, elsewhere the name of the program.
    ///   - targets: The treatment of each key.
    ///   - others: The treatment of the keys that are not named.
    ///   - frequency: How often the import takes values.
    public init(
        domain: String, _ targets: [String: Target] = [:], others: Others = .taken, frequency: Frequency = .once
    ) {
        self.init(domain, targets, others, frequency) {
            UserDefaults.standard.persistentDomain(forName: domain).map { Domain($0) }
        }
    }

    /// Imports the current values of `UserDefaults`: its own domain, and those that it searches. Registered defaults
    /// and arguments are not taken. From the global domain, which has the keys of the whole system, only named keys are
    /// taken. A key with the same value in one of these is considered one of theirs.
    ///
    /// - Parameters:
    ///   - defaults: Read at once, since not every platform allows using it from other threads.
    ///   - name: The name by which the store remembers it.
    ///   - targets: The treatment of each key.
    ///   - others: The treatment of the keys that are not named.
    ///   - frequency: How often the import takes values.
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

    /// Imports the property list file of a domain, as in `~/Library/Preferences`, from this or another machine.
    ///
    /// - Parameters:
    ///   - file: A file in XML, or in the binary or the old text form. A missing file is a domain without values.
    ///   - targets: The treatment of each key.
    ///   - others: The treatment of the keys that are not named.
    ///   - frequency: How often the import takes values. The store remembers the name of the file without `.plist`.
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
