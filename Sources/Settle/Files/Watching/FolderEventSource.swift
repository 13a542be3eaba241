package import Dispatch

/// The operating system's events for folders.
package protocol FolderEventSource: Sendable {
    /// Sets the queue and the function to which events are delivered. Called once, before anything else.
    func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void)

    /// Whether events carry the name of the file concerned.
    var tellsNames: Bool { get }

    /// Returns whether other machines change a folder, or its nearest existing ancestor, without events. May block for
    /// long if these machines do not answer.
    func isRemote(_ folder: FilePath) -> Bool

    /// Starts or continues to watch a folder.
    ///
    /// - Parameter files: The files of interest, for systems that do not watch a folder's files along with it; empty if
    ///   only the folder's names matter.
    /// - Returns: The number of its events: the same one if the folder is being watched by this path already.
    /// - Throws: ``SystemError/notFound`` or ``SystemError/notFolder`` if there is no such folder. Any other error
    ///   means that the folder can't be watched.
    func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int

    /// Ends the watch of a folder, which may be gone.
    func remove(_ number: Int)

    /// Records that events were about a change of another process, from any thread. Without it, a source may take them
    /// for events of this process, and deliver a stream of these late.
    func foundForeignChange()
}

extension FolderEventSource {
    package func isRemote(_ folder: FilePath) -> Bool { false }

    package func foundForeignChange() {}
}

/// An event in or of a watched folder.
package struct FolderEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case contents(name: String)
        case replaced(name: String)
        /// Something was written to, made, renamed or removed; which is unknown.
        case unknown
        /// The folder itself was removed or moved away.
        case gone
        /// Events of any folder were lost.
        case overflow
    }

    package let folder: Int
    package let kind: Kind

    package init(folder: Int, _ kind: Kind) {
        self.folder = folder
        self.kind = kind
    }
}
