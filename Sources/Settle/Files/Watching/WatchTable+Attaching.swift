extension WatchTable {
    /// Makes the system watch a folder, or the nearest one above it.
    ///
    /// - Returns: Whether it is not watched as before.
    @discardableResult
    mutating func attach(_ path: FilePath) -> Bool {
        guard let folder = folders[path] else { return false }
        var tried: Set<Int> = []
        let attachment = attachment(for: path, folder.allNames, &tried)
        if let number = attachment.number { listeners[number, default: []].insert(path) }
        for number in tried where listeners[number] == nil { source?.remove(number) }
        guard attachment != folder.attachment else { return false }
        folders[path]?.attachment = attachment
        if folder.attachment.number != attachment.number { release(folder.attachment.number, from: path) }
        if folder.attachment != .polled, let statuses = statuses(at: path) { folders[path]?.statuses = statuses }
        return true
    }

    private func attachment(
        for path: FilePath, _ names: Set<String>, _ tried: inout Set<Int>
    ) -> WatchedFolder.Attachment {
        guard let source else { return .polled }
        var target = path
        var awaited: String?
        // Something may come and go at the same time; what is polled meanwhile is attached by a later attempt.
        var attempts = 16
        while attempts > 0 {
            attempts -= 1
            do {
                let number = try source.add(target, files: awaited == nil ? names : [])
                tried.insert(number)
                guard let name = awaited else { return .itself(number) }
                guard (try? calls.status(at: target.appending(name).text)) != nil else {
                    return .above(number, awaited: name)
                }
                // It has come between the two attempts.
                target = path
                awaited = nil
            } catch {
                guard error == .notFound || error == .notFolder, target.folder != target else { return .polled }
                awaited = target.name
                target = target.folder
            }
        }
        return .polled
    }

    /// A path no longer needs the events of a number.
    mutating func release(_ number: Int?, from path: FilePath) {
        guard let number, listeners[number]?.remove(path) != nil, listeners[number]?.isEmpty == true else { return }
        listeners[number] = nil
        source?.remove(number)
    }

    /// Tries again to have the system watch what is polled.
    mutating func attachPolled() -> Messages {
        var messages: Messages = [:]
        for (path, folder) in folders where folder.attachment == .polled && attach(path) {
            // The last look at it, for what has changed before the system began to tell.
            takeStatuses(FolderStatuses(of: folder.allNames, in: path, calls), at: path, &messages)
        }
        return messages
    }
}
