#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The domains that a store searches for a value, highest first: the first one with a usable value wins.
///
/// ```swift
/// let store = try await SettingsStore.open("com.example.app", searching: .standard)
/// let tool = try await SettingsStore.open(
///     at: file, searching: [.arguments(), .environment(prefix: "TOOL"), .application])
/// ```
///
/// A list without ``Domain/application`` gets it at its end, before the defaults of the declarations, which always come
/// last.
public struct SearchList: Sendable, ExpressibleByArrayLiteral {
    /// The domains.
    public var domains: [Domain]

    /// Creates a list from domains, highest first.
    public init(_ domains: [Domain]) {
        self.domains = domains
    }

    public init(arrayLiteral domains: Domain...) {
        self.init(domains)
    }

    /// The standard order, for a store that is opened by its name.
    ///
    /// The prefix of environment variables is the store's name in upper case, with underscores for everything except
    /// letters and digits: `COM_EXAMPLE_APP`.
    public static var standard: SearchList { standard() }

    /// Returns the standard order, with your own values.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the program's name. By default those of the process.
    ///   - prefix: The prefix of environment variables; by default made from the store's name.
    ///   - secrets: A folder with a file for each key; by default there is none.
    ///   - secretStore: The folder of the secrets that the program writes; by default there is none.
    ///   - suites: The names of other stores, in the order in which they are searched.
    public static func standard(
        arguments: [String]? = nil, prefix: String? = nil, secrets: URL? = nil, secretStore: URL? = nil,
        suites: [String] = []
    ) -> SearchList {
        SearchList(
            [.managed(), .overrides, .arguments(arguments), .environment(prefix: prefix)]
                + (secrets.map { [.secrets(in: $0)] } ?? []) + (secretStore.map { [.secretStore(in: $0)] } ?? [])
                + [.host(), .application]
                + suites.map { .suite($0) } + [.global(), .system(), .language(), .registration])
    }
}

extension SearchList {
    /// One domain of a search list.
    public struct Domain: Sendable {
        /// The name by which the store identifies it.
        public let name: DomainName
        let kind: Kind

        enum Kind: Sendable {
            case application
            case overrides
            case registration
            case language([String]?)
            case arguments([String]?)
            case environment(prefix: String?, variables: [String: String]?)
            case environmentFile(URL, prefix: String?)
            case secrets(URL?)
            case secretFolder(URL)
            case secretStore(any SecretStore)
            case managed(folder: URL?)
            /// A file in its standard location, or at the given one.
            case file(StandardFile, URL?)
            case source(any DomainSource, locksKeys: Bool)
        }

        /// The files that have a standard location.
        enum StandardFile: Sendable, Equatable {
            case host, global, system
            case suite(String)
        }

        /// The store's own storage: the domain that is written.
        public static var application: Domain { Domain(name: .application, kind: .application) }

        /// Values that code sets for as long as it wants; see ``SettingsStore/Domains/override(_:with:author:)``.
        public static var overrides: Domain { Domain(name: .overrides, kind: .overrides) }

        /// Registered defaults; see ``SettingsStore/Domains/register(_:)``.
        public static var registration: Domain { Domain(name: .registration, kind: .registration) }

        /// Registered defaults for the user's languages; see ``SettingsStore/Domains/register(_:language:)``.
        ///
        /// - Parameter languages: The languages in the user's order; by default those of a domain above, under the key
        ///   `AppleLanguages`, or else those of the environment.
        public static func language(_ languages: [String]? = nil) -> Domain {
            Domain(name: .language, kind: .language(languages))
        }

        /// The arguments of the command line.
        ///
        /// - Parameter arguments: The arguments without the program's name. By default those of the process.
        public static func arguments(_ arguments: [String]? = nil) -> Domain {
            Domain(name: .arguments, kind: .arguments(arguments))
        }

        /// Environment variables with a prefix: `APP_PASSCODE_ATTEMPT_COUNT` for `passcode.attemptCount`.
        ///
        /// They are read once, when the store opens. A variable with the suffix `_FILE` names a file with the value,
        /// which is read again when it changes.
        ///
        /// - Parameters:
        ///   - prefix: The beginning of the names, without the underscore. By default made from the store's name.
        ///   - variables: The variables. By default those of the process.
        public static func environment(prefix: String? = nil, variables: [String: String]? = nil) -> Domain {
            Domain(name: .environment, kind: .environment(prefix: prefix, variables: variables))
        }

        /// The environment variables in a file such as `.env`, which is read again when it changes.
        ///
        /// The names are those of ``environment(prefix:variables:)``; variables of other programs are ignored. A
        /// missing file is an empty domain. If a line can't be read, the last good values stay in force, and the issue
        /// names the line. The domain is called ``DomainName/environmentFile(_:)`` with the name of the file.
        ///
        /// - Parameters:
        ///   - file: The file. A relative path begins at the current folder.
        ///   - prefix: The beginning of the names, without the underscore. By default made from the store's name.
        public static func environmentFile(at file: URL, prefix: String? = nil) -> Domain {
            Domain(name: .environmentFile(file.lastPathComponent), kind: .environmentFile(file, prefix: prefix))
        }

        /// A folder with a file for each key, such as `/run/secrets` or a folder that Kubernetes mounts.
        ///
        /// - Parameter folder: By default the folder of the credentials that systemd gives to a service: the one in
        ///   `$CREDENTIALS_DIRECTORY`. If there is no such variable, the domain is empty.
        public static func secrets(in folder: URL? = nil) -> Domain {
            Domain(name: .secrets, kind: .secrets(folder))
        }

        /// The secrets that the program writes, in a folder with a file for each.
        ///
        /// The settings that are declared with `storedIn: .secrets` are written there, and nowhere else; other secrets
        /// are read from it. The name of a file is the key of its setting, as in `service.token`. The folder must
        /// belong to the user and be accessible to nobody else (0700), or else it is neither read nor written; the
        /// first write makes it. Each write replaces a file by a new one (0600), and is on stable storage when it
        /// returns. Changes by other processes are followed. On a file system that does not distinguish upper and lower
        /// case, as usual on Apple platforms, no two keys may differ only in case: they would share a file.
        ///
        /// - Parameter folder: The folder, which contains nothing else. It must not be a symbolic link.
        public static func secretStore(in folder: URL) -> Domain {
            Domain(name: .secretStore, kind: .secretFolder(folder))
        }

        /// The secrets that the program writes, in a store of your own, such as a key ring of the system.
        ///
        /// Like ``secretStore(in:)``, it comes before ``application`` in the list.
        ///
        /// - Parameter store: The secret store, which no other store uses: it is closed with this one.
        public static func secretStore(_ store: any SecretStore) -> Domain {
            Domain(name: .secretStore, kind: .secretStore(store))
        }

        /// An administrator's file, which locks the keys that it has.
        ///
        /// - Parameter folder: The folder of the file `<name of the store>.json` or `.plist`. By default
        ///   `/etc/settle/managed`, trusted only if root owns it; a given folder is also trusted if the user owns it.
        public static func managed(in folder: URL? = nil) -> Domain {
            Domain(name: .managed, kind: .managed(folder: folder))
        }

        /// This machine's values, in a home folder that many machines share.
        public static func host(at file: URL? = nil) -> Domain {
            Domain(name: .host, kind: .file(.host, file))
        }

        /// One file for all programs of the user.
        public static func global(at file: URL? = nil) -> Domain {
            Domain(name: .global, kind: .file(.global, file))
        }

        /// An administrator's defaults, not locked.
        public static func system(at file: URL? = nil) -> Domain {
            Domain(name: .system, kind: .file(.system, file))
        }

        /// The settings of another program.
        ///
        /// - Parameters:
        ///   - name: The name of the program's store.
        ///   - file: The store's file; by default the standard location of a store with that name.
        public static func suite(_ name: String, at file: URL? = nil) -> Domain {
            Domain(name: .suite(name), kind: .file(.suite(name), file))
        }

        /// A domain of your own.
        ///
        /// - Parameters:
        ///   - name: The domain's name, which no other domain of the list has.
        ///   - source: The source of the domain's values.
        ///   - locksKeys: Whether a key that it has can't be written, as with ``managed(in:)``.
        public static func source(
            _ name: DomainName, _ source: any DomainSource, locksKeys: Bool = false
        ) -> Domain {
            Domain(name: name, kind: .source(source, locksKeys: locksKeys))
        }
    }
}
