/// The reason that a keyed archive could not be read or written. It has the path, and quotes no text.
public struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An extensible kind of problem.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Creates a code of your own.
        public init(_ description: String) { self.description = description }

        /// The bytes are not a keyed archive.
        public static let notAnArchive = Code("notAnArchive")
        /// The bytes are an archive in the format that preceded keyed archives, which this library does not read.
        public static let typedStream = Code("typedStream")
        /// The archive was made by another archiver, or has an unknown version.
        public static let unknownVersion = Code("unknownVersion")
        /// The archive contradicts itself or its format.
        public static let damaged = Code("damaged")
        /// The archive nests too deeply, or expands to too much.
        public static let limit = Code("limit")
        /// A value has no counterpart at its destination.
        public static let unsupportedValue = Code("unsupportedValue")
    }

    /// The kind of problem.
    public var code: Code
    /// The path to the value, such as `root.friends.2.name`; empty for the archive as a whole.
    public var path: String
    /// The problem, as a sentence without the path.
    public var reason: String

    /// Creates an error.
    public init(_ code: Code, at path: String = "", _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
