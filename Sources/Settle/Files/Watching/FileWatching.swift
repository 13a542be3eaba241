/// Tells when files change, whoever changes them.
package protocol FileWatching: Sendable {
    /// Watches some names in some folders. The folders, and those above them, may be missing.
    ///
    /// What changes after this has returned is told. What changes meanwhile may be; so watch first and read then.
    ///
    /// - Parameters:
    ///   - places: The names to watch, by folder. Folders are absolute paths; links on the way to them are followed.
    ///   - notify: Called on a queue that all watches share, so it must be quick. It may call this protocol again.
    /// - Returns: The watch, which ends when it is cancelled or its last reference goes away.
    func watch(
        _ places: [FilePath: Set<String>], _ notify: @escaping @Sendable (FileEvents) -> Void
    ) -> any FileWatch
}

/// A watch that has begun.
package protocol FileWatch: AnyObject, Sendable {
    /// Watches these places from now on, in place of the earlier ones. Each of them is looked up anew, so this is also the
    /// answer to a link to a folder that leads elsewhere now.
    func update(_ places: [FilePath: Set<String>])

    /// Ends the watch. Returns at once; a call that has begun may still be running, but no other begins.
    func cancel()
}
