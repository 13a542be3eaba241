package import Dispatch

/// An open file or folder that delivers events until it is cancelled.
package protocol Vnode: AnyObject, Sendable {
    var identity: FileStatus.Identity { get }

    /// Ends the events and closes the file. Returns immediately; an event that is under way may still be delivered.
    func cancel()
}

/// A system that delivers events for single open files and folders.
package protocol VnodeSystem: Sendable {
    /// Opens what is at a path, for its events only.
    ///
    /// - Parameters:
    ///   - kind: For a folder, a symbolic link is followed; for a file, the link itself is opened.
    ///   - tell: Called on the queue after names in a folder, or bytes of a file, have changed; with `isGone` if it was
    ///     removed, renamed or revoked.
    func open(
        _ path: FilePath, _ kind: VnodeKind, on queue: DispatchQueue?,
        _ tell: @escaping @Sendable (_ isGone: Bool) -> Void
    ) throws(SystemError) -> any Vnode
}

package enum VnodeKind: Sendable, Hashable {
    case folder, file
}
