/// The values of a domain, as of one moment.
public struct DomainContents: Sendable, Hashable {
    /// The values, nested like those of a file.
    public var tree: SettingTree
    /// Whether a ``SettingValue/string(_:)``, even within an array or a dictionary, may be a value of another type that
    /// was written as text, such as that of an environment variable: the declaration of a setting decides. Other values
    /// are taken as they are.
    public var isText: Bool
    /// Sentences about values that can't be used, and their replacements. Each names the source of the value.
    public var problems: [String]
    /// The newest transaction in the contents, for a source with a history of its own.
    package var token: ChangeToken?

    /// Creates contents; by default none.
    public init(_ tree: SettingTree = SettingTree(), isText: Bool = false, problems: [String] = []) {
        self.tree = tree
        self.isText = isText
        self.problems = problems
    }
}
