/// The reason that a panel can't be made or can't answer, as a sentence that names the file or the key and the remedy.
public struct PanelError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
