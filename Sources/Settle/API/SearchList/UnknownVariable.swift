/// An environment variable that begins with the program's prefix and belongs to no setting. It never has the value,
/// which may be a secret.
public struct UnknownVariable: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the variable.
    public let name: String
    /// The variable of a setting whose name is so near that it may be meant; `nil` if there is none.
    public let nearest: String?
    /// The domain that has the variable: the environment, or a file of variables.
    public let domain: DomainName

    /// A sentence that names the variable, its domain and the nearest one.
    public var description: String {
        "The variable \(name) in the domain “\(domain)” belongs to no setting.\(Suggestion.question(nearest))"
    }
}

extension StoreCore {
    /// Returns the unknown variables of all domains, highest first.
    ///
    /// - Parameter find: Returns those of a source.
    func unknownVariables(
        _ find: (EnvironmentSource) -> [(name: String, nearest: String?)]
    ) -> [UnknownVariable] {
        domains.all.flatMap { domain -> [UnknownVariable] in
            guard let source = domain.source as? EnvironmentSource else { return [] }
            return find(source).map { UnknownVariable(name: $0.name, nearest: $0.nearest, domain: domain.name) }
        }
    }
}
