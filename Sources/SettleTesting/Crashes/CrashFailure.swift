/// A crash after which something was not as it must be.
public struct CrashFailure: Error, Sendable, CustomStringConvertible {
    /// Which change of the disk the crash came before, counted from 1.
    public var call: Int
    /// What was wrong, as a sentence.
    public var reason: String
    /// What the crash left of the files, in words.
    public var image: String
    /// Brings back what was chosen at random, together with the same scenario.
    public var seed: UInt64
    /// What the check has thrown, or what could not be opened.
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
