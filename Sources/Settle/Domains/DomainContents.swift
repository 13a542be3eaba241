/// What a domain has, as of one moment.
public struct DomainContents: Sendable, Hashable {
    /// The values, nested like those of a file.
    public var tree: SettingTree
    /// Whether the values are text that has no type of its own, such as environment variables: the declaration of a
    /// setting gives it one. Then all values are ``SettingValue/string(_:)``, or arrays and dictionaries of them.
    public var isText: Bool
    /// Sentences: what was found and can't be used, and what is used instead. Each names its place.
    public var problems: [String]

    /// Creates contents; by default none.
    public init(_ tree: SettingTree = SettingTree(), isText: Bool = false, problems: [String] = []) {
        self.tree = tree
        self.isText = isText
        self.problems = problems
    }
}
