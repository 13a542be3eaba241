#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// An error number of the operating system. Errors of one number are equal.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    package let number: Int32
    /// The rule by which a call was refused; `nil` if only the system knows why it failed.
    package let rule: String?

    /// - Parameter number: `EOPNOTSUPP`, a distinct number on Apple's platforms, becomes ``notSupported``: file systems
    ///   return either.
    package init(_ number: Int32) {
        self.number = number == EOPNOTSUPP ? ENOTSUP : number
        rule = nil
    }

    /// - Parameter rule: A clause that names the violation of the rule.
    package init(_ error: SystemError, rule: String) {
        number = error.number
        self.rule = rule
    }

    package static func == (first: SystemError, second: SystemError) -> Bool { first.number == second.number }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The rule, or else the operating system's message for the error, with its number.
    package var description: String {
        if let rule { return rule }
        let text = strerror(number).map { String(cString: $0) } ?? "unknown error"
        return "\(text) (error \(number))"
    }

    /// The error of the last failed call on this thread.
    package static var last: SystemError { SystemError(errno) }

    package static let alreadyExists = SystemError(EEXIST)
    package static let badDescriptor = SystemError(EBADF)
    package static let crossesDevices = SystemError(EXDEV)
    package static let fileTooLarge = SystemError(EFBIG)
    package static let inputOutput = SystemError(EIO)
    package static let interrupted = SystemError(EINTR)
    package static let invalidArgument = SystemError(EINVAL)
    package static let isFolder = SystemError(EISDIR)
    package static let messageTooLong = SystemError(EMSGSIZE)
    package static let noLocks = SystemError(ENOLCK)
    package static let noSpace = SystemError(ENOSPC)
    package static let notEmpty = SystemError(ENOTEMPTY)
    package static let notFolder = SystemError(ENOTDIR)
    package static let notFound = SystemError(ENOENT)
    package static let notPermitted = SystemError(EPERM)
    package static let notSupported = SystemError(ENOTSUP)
    package static let permissionDenied = SystemError(EACCES)
    package static let quotaExceeded = SystemError(EDQUOT)
    package static let readOnlyFileSystem = SystemError(EROFS)
    package static let tooManyLinks = SystemError(EMLINK)
    package static let tooManySymbolicLinks = SystemError(ELOOP)
    package static let unimplemented = SystemError(ENOSYS)
    package static let wouldBlock = SystemError(EWOULDBLOCK)
}

/// A failed system call: the action, the file, and the operating system's error.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The action in the infinitive, such as "rename".
    package let action: String
    package let path: String
    package let cause: SystemError
    /// The process that holds the lock that could not be taken, if it is known.
    package var holder: Int32?

    /// Returns the error for a file whose name leads to yet another file each time it is opened.
    static func replacedAgainAndAgain(_ path: FilePath) -> FileError {
        FileError(action: "lock", path: path.text, cause: .wouldBlock)
    }

    /// A clause, such as `could not rename "/a/b": No space left on device (error 28)`.
    package var description: String {
        "could not \(action) “\(path)”: \(cause)"
    }
}
