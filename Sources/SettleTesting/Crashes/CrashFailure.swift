/// A crash whose outcome violates a requirement.
public struct CrashFailure: Error, Sendable, CustomStringConvertible {
    /// The disk change that the crash precedes, counted from 1.
    public var call: Int
    /// The problem, as a sentence.
    public var reason: String
    /// A description of what the crash left of the files.
    public var image: String
    /// Reproduces the random choices, together with the same scenario.
    public var seed: UInt64
    /// The error that the check threw, or the reason that a file could not be opened.
    public var underlying: (any Error)?

    private let name: String

    init(call: Int, named name: String, image: String, seed: UInt64, _ reason: String, underlying: (any Error)? = nil) {
        self.call = call
        self.name = name
        self.image = image
        self.seed = seed
        self.reason = reason
        self.underlying = underlying
    }

    public var description: String {
        "Crash before change \(call) of the disk (\(name)), seed \(seed). \(image) \(reason)"
    }
}
