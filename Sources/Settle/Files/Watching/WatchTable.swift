/// Tracks which users watch which folders, and maps events to users.
///
/// It calls no user: it returns the messages to deliver, by the user's number.
struct WatchTable: Sendable {
    typealias Messages = [Int: FileEvents]

    /// Represents all names in a folder. Where folders are compared instead, it is the folder itself, whose times show
    /// when a name is added or removed.
    static let anyName = "."

    let source: (any FolderEventSource)?
    let calls: any SystemCalls
    var folders: [FilePath: WatchedFolder] = [:]
    /// The folders that receive the events of a number: several if one folder has several paths, or replaces several
    /// missing ones.
    var listeners: [Int: Set<FilePath>] = [:]

    /// - Parameter source: Without one, every folder is polled.
    init(source: (any FolderEventSource)?, calls: any SystemCalls) {
        self.source = source
        self.calls = calls
    }

    // MARK: Users

    /// Sets what a user watches.
    ///
    /// - Parameter remote: The folders without events, whose statuses the caller reads afterwards.
    /// - Returns: Messages for other users, because a folder that they watch turned out to have moved.
    mutating func set(_ places: [FilePath: Set<String>], remote: Set<FilePath>, for user: Int) -> Messages {
        remove(user, except: places)
        var messages: Messages = [:]
        for (path, names) in places {
            let isNew = folders[path] == nil
            folders[path, default: WatchedFolder()].names[user] = names
            let others = folders[path]?.names.keys.filter { $0 != user } ?? []
            let isRemote = remote.contains(path)
            if attach(path, isRemote: isRemote), !isNew { tell(others, .places, in: path, &messages) }
            // Other users may not have been notified of changes since the last examination.
            if !isRemote, let statuses = statuses(at: path) { takeStatuses(statuses, at: path, &messages) }
        }
        messages[user] = nil
        return messages
    }

    mutating func remove(_ user: Int, except places: [FilePath: Set<String>] = [:]) {
        for (path, folder) in folders where folder.names[user] != nil && places[path] == nil {
            folders[path]?.names[user] = nil
            guard folders[path]?.names.isEmpty == true else { continue }
            folders[path] = nil
            release(folder.attachment.number, from: path)
        }
    }

    // MARK: Events

    mutating func take(_ events: [FolderEvent]) -> Messages {
        var messages: Messages = [:]
        for event in events {
            let paths = event.kind == .overflow ? Set(folders.keys) : listeners[event.folder] ?? []
            for path in paths { take(event.kind, at: path, &messages) }
        }
        return messages
    }

    private mutating func take(_ event: FolderEvent.Kind, at path: FilePath, _ messages: inout Messages) {
        guard let folder = folders[path] else { return }
        switch (folder.attachment, event) {
        case (.itself, .contents(let name)): tell(folder, .contents, name, in: path, &messages)
        case (.itself, .replaced(let name)): tell(folder, .replaced, name, in: path, &messages)
        case (.itself, .unknown):
            // The files at this path may no longer be the ones registered with the system.
            attach(path)
            if let statuses = statuses(at: path) { takeStatuses(statuses, at: path, &messages) }
        case (.itself, .gone):
            release(folder.attachment.number, from: path)
            folders[path]?.attachment = .polled
            attach(path)
            tell(folder.names.keys, .places, in: path, &messages)
        case (let attachment, .overflow):
            // The next poll attaches a polled folder, which may not answer now.
            if attachment != .polled { attach(path) }
            tell(folder.names.keys, .places, in: path, &messages)
        case (.above(_, let awaited), .replaced(let name)) where name != awaited: break
        case (.above, .contents), (.polled, _), (.denied, _): break
        case (.above, .replaced), (.above, .unknown), (.above, .gone):
            if event == .gone { release(folder.attachment.number, from: path) }
            attach(path)
            guard case .itself = folders[path]?.attachment else { break }
            tell(folder.names.keys, .places, in: path, &messages)
        }
    }

    // MARK: Polling

    /// The folders to poll, with the names in them.
    var polledPlaces: [FilePath: Set<String>] {
        folders.filter { $0.value.attachment == .polled }.mapValues(\.allNames)
    }

    /// Whether there are any polled folders. Checked after each event.
    var isPolling: Bool { folders.values.contains { $0.attachment == .polled } }

    /// Takes in the statuses found at ``polledPlaces``.
    mutating func take(_ found: [FilePath: FolderStatuses]) -> Messages {
        var messages: Messages = [:]
        for (path, statuses) in found { takeStatuses(statuses, at: path, &messages) }
        return messages
    }

    mutating func takeStatuses(
        _ statuses: FolderStatuses, at path: FilePath, _ messages: inout Messages
    ) {
        guard let folder = folders[path] else { return }
        folders[path]?.statuses = statuses
        if statuses.isElsewhere(than: folder.statuses) { tell(folder.names.keys, .places, in: path, &messages) }
        for name in statuses.changes(since: folder.statuses, of: folder.allNames) {
            // Polling can't detect whether a write is complete, so report both kinds.
            tell(folder, [.contents, .replaced], name, in: path, &messages)
        }
    }

    /// - Returns: `nil` where the system's events suffice.
    func statuses(at path: FilePath) -> FolderStatuses? {
        guard let folder = folders[path] else { return nil }
        guard folder.attachment == .polled || source?.tellsNames == false else { return nil }
        return FolderStatuses(of: folder.allNames, in: path, calls)
    }

    private func tell(
        _ folder: WatchedFolder, _ kinds: FileEvents.Kinds, _ name: String, in path: FilePath,
        _ messages: inout Messages
    ) {
        for (user, names) in folder.names where names.contains(name) || names.contains(Self.anyName) {
            messages[user, default: []].insert(kinds, of: path.appending(name))
        }
    }

    private func tell(
        _ users: some Sequence<Int>, _ kinds: FileEvents.Kinds, in path: FilePath, _ messages: inout Messages
    ) {
        for user in users {
            let files = folders[path]?.names[user]?.map(path.appending) ?? []
            messages[user, default: []].formUnion(FileEvents(kinds, files: Set(files)))
        }
    }
}
