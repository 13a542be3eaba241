extension WatchTable {
    /// Registers a folder, or its nearest existing ancestor, with the system.
    ///
    /// - Parameter isRemote: Whether it has no events, if that is known; if true, the caller reads its statuses. If it is
    ///   not known, the folder is asked; and if it is polled from then on, the next poll reads its statuses.
    /// - Returns: Whether the folder is now watched in another way.
    @discardableResult
    mutating func attach(_ path: FilePath, isRemote: Bool? = nil) -> Bool {
        guard let folder = folders[path] else { return false }
        var tried: Set<Int> = []
        let attachment =
            isRemote == true ? .polled : attachment(for: path, folder.allNames, isLocal: isRemote == false, &tried)
        if let number = attachment.number { listeners[number, default: []].insert(path) }
        for number in tried where listeners[number] == nil { source?.remove(number) }
        guard attachment != folder.attachment else { return false }
        folders[path]?.attachment = attachment
        if folder.attachment.number != attachment.number { release(folder.attachment.number, from: path) }
        if folder.attachment != .polled, attachment != .polled || isRemote == false,
            let statuses = statuses(at: path)
        {
            folders[path]?.statuses = statuses
        }
        return true
    }

    private func attachment(
        for path: FilePath, _ names: Set<String>, isLocal: Bool, _ tried: inout Set<Int>
    ) -> WatchedFolder.Attachment {
        guard let source else { return .polled }
        var target = path
        var awaited: String?
        // Folders may come and go meanwhile. After the last attempt the folder is polled, and attached later.
        var attempts = 16
        while attempts > 0 {
            attempts -= 1
            if !isLocal, source.isRemote(target) { return .polled }
            do {
                let number = try source.add(target, files: awaited == nil ? names : [])
                tried.insert(number)
                guard let name = awaited else { return .itself(number) }
                guard (try? calls.status(at: target.appending(name).text)) != nil else {
                    return .above(number, awaited: name)
                }
                // The folder has appeared between the two attempts.
                target = path
                awaited = nil
            } catch {
                // A sandbox denies the folders above an app's container, such as `/` with the link `/var`. Only the
                // system switches these, so polling them would wake the process for nothing. Where only the folder's
                // mode denies reading (`EACCES`), links are polled.
                if error == .notPermitted, target == path, areLinks(names, in: path) { return .denied }
                guard error == .notFound || error == .notFolder, target.folder != target else { return .polled }
                awaited = target.name
                target = target.folder
            }
        }
        return .polled
    }

    private func areLinks(_ names: Set<String>, in folder: FilePath) -> Bool {
        names.allSatisfy { (try? calls.status(at: folder.appending($0).text))?.kind == .symbolicLink }
    }

    /// Drops a path's interest in the events of a number.
    mutating func release(_ number: Int?, from path: FilePath) {
        guard let number, listeners[number]?.remove(path) != nil, listeners[number]?.isEmpty == true else { return }
        listeners[number] = nil
        source?.remove(number)
    }

    /// Tries again to register polled folders, of this machine, with the system.
    mutating func attach(_ polled: [FilePath]) -> Messages {
        var messages: Messages = [:]
        for path in polled where folders[path]?.attachment == .polled && attach(path, isRemote: false) {
            // Compare once more, for changes from before the system's events begin.
            let names = folders[path]?.allNames ?? []
            takeStatuses(FolderStatuses(of: names, in: path, calls), at: path, &messages)
        }
        return messages
    }
}
