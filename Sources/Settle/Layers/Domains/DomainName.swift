/// The name of a domain: a layer of values in the search list of a store.
///
/// The standard search list has the domains below, highest first; a program may add others of its own.
public struct DomainName: Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name as text, such as `environment` or `suite com.example.shared`.
    public let description: String

    /// The name of a program's own domain.
    public init(_ description: String) {
        self.description = description
    }

    public init(stringLiteral description: String) {
        self.init(description)
    }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Values that an administrator prescribes. Their keys are locked.
    public static let managed = DomainName("managed")
    /// Values set by code, for as long as it needs them.
    public static let overrides = DomainName("overrides")
    /// The arguments of the command line.
    public static let arguments = DomainName("arguments")
    /// Environment variables.
    public static let environment = DomainName("environment")
    /// Environment variables in a file, such as `.env`.
    public static func environmentFile(_ name: String) -> DomainName { DomainName("environment \(name)") }
    /// A folder with a file for each key.
    public static let secrets = DomainName("secrets")
    /// The secrets that the program writes; see ``SecretStore``.
    public static let secretStore = DomainName("secret store")
    /// This machine's values, in a home folder that many machines share.
    public static let host = DomainName("host")
    /// The store's own storage: the domain that is written.
    public static let application = DomainName("application")
    /// One file for all programs of the user.
    public static let global = DomainName("global")
    /// An administrator's defaults, which any domain above replaces.
    public static let system = DomainName("system")
    /// Defaults for the user's languages.
    public static let language = DomainName("language")
    /// Defaults that a program registers at run time.
    public static let registration = DomainName("registration")
    /// The defaults of the declarations, which always come last.
    public static let declaration = DomainName("declaration")

    /// The settings of another program.
    public static func suite(_ name: String) -> DomainName { DomainName("suite \(name)") }
}
