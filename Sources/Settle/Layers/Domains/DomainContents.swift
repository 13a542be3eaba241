/// What a domain has, as of one moment.
public struct DomainContents: Sendable, Hashable {
    /// The values, nested like those of a file.
    public var tree: SettingTree
    /// Whether a ``SettingValue/string(_:)``, also in an array or a dictionary, may be a value of another type that was
    /// written as text, such as that of an environment variable: the declaration of a setting tells. Other values are
    /// taken as they are.
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
