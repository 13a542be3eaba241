/// What a storage did otherwise than `Storage` says.
public struct StorageConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for each check that failed, which begins with what should have been.
    public var failures: [String]

    public var description: String {
        "The storage does not keep \(failures.count) of its promises:\n"
            + failures.map { "- \($0)" }.joined(separator: "\n")
    }
}
