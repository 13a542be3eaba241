import Settle

/// The files of a simulated disk: as processes see them, and as they would be after a loss of power.
///
/// The rules are those of a journaling file system at its least helpful. Changes of names survive in the order in
/// which they were made, but none of them has to before their folder is synced. Bytes survive only once their file is
/// synced. Syncing a file does not make its name survive.
struct DiskImage: Sendable {
    struct Node: Sendable {
        let isFolder: Bool
        var permissions: UInt16
        var contents: [UInt8] = []
        var survivingContents: [UInt8] = []
        /// A sync has failed: later ones report success and write nothing, as they do where the failed one has marked
        /// the pages as clean.
        var isPoisoned = false
        var entries: [String: Int] = [:]
        var survivingEntries: [String: Int] = [:]
    }

    /// Changes of names that survive together or not at all.
    private struct Change: Sendable {
        var folder: Int
        var entries: [String: Int?]
    }

    /// What becomes of the bytes that were never synced.
    enum Loss: CaseIterable, Sendable {
        case nothing, half, everything
    }

    private static let root = 0

    private(set) var nodes: [Int: Node] = [root: Node(isFolder: true, permissions: 0o755)]
    private var unsyncedChanges: [Change] = []

    /// How many changes of names might be lost.
    var unsyncedChangeCount: Int { unsyncedChanges.count }

    // MARK: Names

    func node(at path: String) throws(SystemError) -> Int {
        var number = Self.root
        for name in path.split(separator: "/") {
            guard let next = nodes[number]?.entries[String(name)] else { throw .notFound }
            number = next
        }
        return number
    }

    func entries(of number: Int) -> [String: Int] {
        nodes[number]?.entries ?? [:]
    }

    mutating func add(_ node: Node, at path: String) throws(SystemError) -> Int {
        let (folder, name) = try place(path)
        guard entries(of: folder)[name] == nil else { throw .alreadyExists }
        let number = nodes.count
        nodes[number] = node
        change(folder, [name: number])
        return number
    }

    mutating func link(_ path: String, to newPath: String) throws(SystemError) {
        let number = try node(at: path)
        let (folder, name) = try place(newPath)
        guard entries(of: folder)[name] == nil else { throw .alreadyExists }
        change(folder, [name: number])
    }

    mutating func remove(_ path: String) throws(SystemError) {
        _ = try node(at: path)
        let (folder, name) = try place(path)
        change(folder, [name: nil])
    }

    /// Within one folder, which is all that a replacement of a file needs.
    mutating func rename(_ path: String, to newPath: String) throws(SystemError) {
        let number = try node(at: path)
        let (folder, name) = try place(path)
        let (newFolder, newName) = try place(newPath)
        guard folder == newFolder else { throw .crossesDevices }
        // Two names of one file: the call does nothing.
        guard entries(of: folder)[newName] != number else { return }
        change(folder, [name: nil, newName: number])
    }

    private func place(_ path: String) throws(SystemError) -> (folder: Int, name: String) {
        let path = FilePath(path)
        return (try node(at: path.folder.text), path.name)
    }

    private mutating func change(_ folder: Int, _ entries: [String: Int?]) {
        unsyncedChanges.append(Change(folder: folder, entries: entries))
        for (name, number) in entries { nodes[folder]?.entries[name] = number }
    }

    // MARK: Contents

    mutating func update(_ number: Int, _ change: (inout Node) -> Void) {
        guard var node = nodes[number] else { return }
        nodes[number] = nil
        change(&node)
        nodes[number] = node
    }

    mutating func synchronize(_ number: Int) {
        update(number) { node in
            guard !node.isPoisoned else { return }
            node.survivingContents = node.contents
            node.survivingEntries = node.entries
        }
        unsyncedChanges.removeAll { $0.folder == number }
    }

    // MARK: Loss of power

    /// The disk after a loss of power.
    ///
    /// - Parameter count: How many of the changes of names that were not synced have survived.
    func afterLossOfPower(survivingChanges count: Int, loss: Loss) -> DiskImage {
        var image = self
        for number in nodes.keys {
            image.update(number) { $0.entries = $0.survivingEntries }
        }
        for change in unsyncedChanges.prefix(count) {
            image.update(change.folder) { node in
                for (name, number) in change.entries { node.entries[name] = number }
            }
        }
        for number in nodes.keys {
            image.update(number) { node in
                if node.contents != node.survivingContents {
                    switch loss {
                    case .nothing: break
                    case .half: node.contents = Array(node.contents.prefix(node.contents.count / 2))
                    case .everything: node.contents = node.survivingContents
                    }
                }
                node.survivingContents = node.contents
                node.survivingEntries = node.entries
                node.isPoisoned = false
            }
        }
        image.unsyncedChanges = []
        return image
    }
}
