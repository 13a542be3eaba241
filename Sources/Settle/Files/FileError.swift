/// A failed system call: the action, the file, and the operating system's error.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In the infinitive, such as "rename".
    package let action: String
    package let path: String
    package let cause: SystemError

    /// A file whose name leads to yet another file each time it is opened.
    static func replacedAgainAndAgain(_ path: FilePath) -> FileError {
        FileError(action: "lock", path: path.text, cause: .wouldBlock)
    }

    /// A clause, such as `could not rename "/a/b": No space left on device (error 28)`.
    package var description: String {
        "could not \(action) \"\(path)\": \(cause)"
    }
}
