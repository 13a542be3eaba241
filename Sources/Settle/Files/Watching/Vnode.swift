package import Dispatch

/// An open file or folder whose events are told until it is cancelled.
package protocol Vnode: AnyObject, Sendable {
    var identity: FileStatus.Identity { get }

    /// Ends the events and closes it. Returns at once; an event that is under way may still be told.
    func cancel()
}

/// A system that tells events of open files and folders, one by one.
package protocol VnodeSystem: Sendable {
    /// Opens what stands at a path, for its events alone.
    ///
    /// - Parameters:
    ///   - kind: A folder is found behind a symbolic link; a link in the place of a file is opened itself.
    ///   - tell: Called on the queue after names in a folder, or bytes of a file, have changed; with `isGone` if it was removed,
    ///     renamed or revoked.
    func open(
        _ path: FilePath, _ kind: VnodeKind, on queue: DispatchQueue?,
        _ tell: @escaping @Sendable (_ isGone: Bool) -> Void
    ) throws(SystemError) -> any Vnode
}

package enum VnodeKind: Sendable, Hashable {
    case folder, file
}
