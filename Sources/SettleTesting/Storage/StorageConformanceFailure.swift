/// The ways in which a storage has violated the guarantees of `Storage`.
public struct StorageConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for each failed check, beginning with the expected behavior.
    public var failures: [String]

    public var description: String {
        "The storage does not keep \(failures.count) of its promises:\n"
            + failures.map { "- \($0)" }.joined(separator: "\n")
    }
}
