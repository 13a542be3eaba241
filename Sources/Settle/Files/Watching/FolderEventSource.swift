package import Dispatch

/// What an operating system tells about folders.
package protocol FolderEventSource: Sendable {
    /// Says where events are to be delivered. Called once, before anything else.
    func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void)

    /// Whether it says which name an event is about.
    var tellsNames: Bool { get }

    /// Begins or goes on to watch a folder.
    ///
    /// - Parameter files: The files in it that matter, for systems that do not watch a folder's files with the folder; none if
    ///   only its names do.
    /// - Returns: The number that its events will have: the same one if the folder is being watched already by this path.
    /// - Throws: ``SystemError/notFound`` or ``SystemError/notFolder`` if there is no such folder. Any other error means that
    ///   the folder can't be watched.
    func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int

    /// Ends the watch of a folder, which may have gone.
    func remove(_ number: Int)
}

/// Something that has happened in a watched folder or to it.
package struct FolderEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case contents(name: String)
        case replaced(name: String)
        /// Something was written to, made, renamed or removed; it is not known what.
        case unknown
        /// The folder itself was removed or moved away.
        case gone
        /// Events were lost, of any folder.
        case overflow
    }

    package let folder: Int
    package let kind: Kind

    package init(folder: Int, _ kind: Kind) {
        self.folder = folder
        self.kind = kind
    }
}
