/// Notifies when files change, whichever process changes them.
package protocol FileWatching: Sendable {
    /// Watches some names in some folders. The folders, and those above them, may be missing.
    ///
    /// Changes after this has returned are reported. Changes during the call may be; so watch first, then read.
    ///
    /// - Parameters:
    ///   - places: The names to watch, by folder; "." for all names in it. Folders are absolute paths; links on the way
    ///     to them are followed.
    ///   - notify: Called on a queue that all watches share, so it must be quick. It may call this protocol again.
    /// - Returns: The watch, which ends when it is cancelled or deallocated.
    func watch(
        _ places: [FilePath: Set<String>], _ notify: @escaping @Sendable (FileEvents) -> Void
    ) -> any FileWatch
}

/// An active watch.
package protocol FileWatch: AnyObject, Sendable {
    /// Replaces the watched places. Each is looked up again, so call this also when a link to a folder has been
    /// redirected.
    func update(_ places: [FilePath: Set<String>])

    /// Records that a watched file had a change of another process. While there are some, the source of the events
    /// delivers each without delay; see ``FolderEventSource/foundForeignChange()``. Takes no lock of a store.
    func foundForeignChange()

    /// Ends the watch. Returns immediately; a call that has begun may still be running, but no other begins.
    func cancel()
}
