/// A system call that failed: what was to be done, on which file, and what the operating system said.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In the infinitive, such as "rename".
    package let action: String
    package let path: String
    package let cause: SystemError

    /// Part of a sentence, such as `could not rename "/a/b": No space left on device (error 28)`.
    package var description: String {
        "could not \(action) \"\(path)\": \(cause)"
    }
}
