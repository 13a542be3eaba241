import Settle

/// The files of a simulated disk as processes see them, with what is needed to tell how a loss of power may leave them.
///
/// The rules are those of a journaling file system at its least helpful. Changes of names survive in the order in which
/// they were made in their folder, but none of them has to before that folder is synced. Bytes survive only once their file
/// is synced. Syncing a file does not make its name survive. Permissions always survive.
struct DiskImage: Sendable {
    /// Changes of names in one folder that survive together or not at all.
    struct Change: Sendable {
        var folder: Int
        var entries: [String: Int?]
    }

    static let root = 0

    private(set) var nodes: [Int: DiskNode] = [root: DiskNode(.folder, permissions: 0o755)]
    private(set) var unsyncedChanges: [Change] = []
    /// Time goes on by this much with every change.
    private static let tick: Int64 = 1_000_000
    private var now: Int64 = 1_700_000_000_000_000_000

    // MARK: Names

    /// - Parameter followsLast: Whether a symbolic link at the end of the path stands for what it leads to.
    func node(at path: String, followsLast: Bool = true) throws(SystemError) -> Int {
        try node(at: path, from: [Self.root], followsLast: followsLast, links: 0)
    }

    /// - Parameter folders: The folders on the way to the one in which a relative path begins.
    private func node(
        at path: String, from folders: [Int], followsLast: Bool, links: Int
    ) throws(SystemError) -> Int {
        guard links < 40 else { throw .tooManySymbolicLinks }
        var way = path.hasPrefix("/") ? [Self.root] : folders
        let names = path.split(separator: "/")
        for (index, name) in names.enumerated() {
            guard let last = way.last, nodes[last]?.isFolder == true else { throw .notFolder }
            if name == "." { continue }
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            guard let next = nodes[last]?.entries[String(name)] else { throw .notFound }
            if case .symbolicLink(let target) = nodes[next]?.kind, index + 1 < names.count || followsLast {
                let rest = [target] + names[(index + 1)...].map(String.init)
                return try node(
                    at: rest.joined(separator: "/"), from: way, followsLast: followsLast, links: links + 1)
            }
            way.append(next)
        }
        return way.last ?? Self.root
    }

    func entries(of number: Int) -> [String: Int] {
        nodes[number]?.entries ?? [:]
    }

    /// How many names a node has.
    func linkCount(of number: Int) -> Int {
        number == Self.root ? 1 : nodes.values.reduce(0) { $0 + $1.entries.values.count { $0 == number } }
    }

    mutating func add(_ node: DiskNode, at path: String) throws(SystemError) -> Int {
        let (folder, name) = try place(path)
        guard entries(of: folder)[name] == nil else { throw .alreadyExists }
        let number = nodes.count
        nodes[number] = node
        change(folder, [name: number])
        touch(number, isContents: true)
        return number
    }

    mutating func link(_ path: String, to newPath: String) throws(SystemError) {
        let number = try node(at: path, followsLast: false)
        let (folder, name) = try place(newPath)
        guard entries(of: folder)[name] == nil else { throw .alreadyExists }
        guard nodes[number]?.isFolder == false else { throw .notPermitted }
        change(folder, [name: number])
        touch(number, isContents: false)
    }

    mutating func remove(_ path: String) throws(SystemError) {
        let number = try node(at: path, followsLast: false)
        guard nodes[number]?.isFolder == false else { throw .isFolder }
        let (folder, name) = try place(path)
        change(folder, [name: nil])
        touch(number, isContents: false)
    }

    /// Within one folder, which is all that a replacement of a file needs.
    mutating func rename(_ path: String, to newPath: String) throws(SystemError) {
        let number = try node(at: path, followsLast: false)
        let (folder, name) = try place(path)
        let (newFolder, newName) = try place(newPath)
        guard folder == newFolder else { throw .crossesDevices }
        let replaced = entries(of: folder)[newName]
        // Two names of one file: the call does nothing.
        guard replaced != number else { return }
        if let replaced, nodes[replaced]?.isFolder == true { throw .isFolder }
        change(folder, [name: nil, newName: number])
        touch(number, isContents: false)
        if let replaced { touch(replaced, isContents: false) }
    }

    private func place(_ path: String) throws(SystemError) -> (folder: Int, name: String) {
        let path = FilePath(path)
        let folder = try node(at: path.folder.text)
        guard nodes[folder]?.isFolder == true else { throw .notFolder }
        return (folder, path.name)
    }

    private mutating func change(_ folder: Int, _ entries: [String: Int?]) {
        unsyncedChanges.append(Change(folder: folder, entries: entries))
        for (name, number) in entries { nodes[folder]?.entries[name] = number }
        touch(folder, isContents: true)
    }

    // MARK: Contents

    /// Changes a node without letting time go on.
    mutating func update(_ number: Int, _ change: (inout DiskNode) -> Void) {
        // Taken out, so that its bytes are not copied to be changed.
        guard var node = nodes.removeValue(forKey: number) else { return }
        change(&node)
        nodes[number] = node
    }

    /// Notes that a node has changed now.
    mutating func touch(_ number: Int, isContents: Bool) {
        now += Self.tick
        let now = now
        update(number) { node in
            node.statusChanged = now
            if isContents { node.contentsChanged = now }
        }
    }

    mutating func synchronize(_ number: Int) {
        update(number) { $0.synchronize() }
        unsyncedChanges.removeAll { $0.folder == number }
    }

    /// The disk on which some changes of names have survived and all others not, and files have these bytes, for good.
    func settled(changes: [Bool], _ bytes: (Int, DiskNode) -> [UInt8]) -> DiskImage {
        var image = self
        for number in nodes.keys {
            image.update(number) { $0.entries = $0.survivingEntries }
        }
        for (change, survives) in zip(unsyncedChanges, changes) where survives {
            image.update(change.folder) { node in
                for (name, number) in change.entries { node.entries[name] = number }
            }
        }
        for (number, old) in nodes {
            image.update(number) { $0.settle(bytes(number, old)) }
        }
        image.unsyncedChanges = []
        return image
    }

    /// Every path with what stands there, once for each name.
    func files(from number: Int = root, at path: String = "") -> [(path: String, node: DiskNode)] {
        entries(of: number).sorted { $0.key < $1.key }.flatMap { name, number -> [(path: String, node: DiskNode)] in
            guard let node = nodes[number] else { return [] }
            return [(path + "/" + name, node)] + files(from: number, at: path + "/" + name)
        }
    }

    /// The same for two disks that look alike to a process, but for their times.
    var fingerprint: [Int] {
        // Two of them, because one has collided often enough in the history of hashing.
        (0..<2).map { salt in
            var hasher = Hasher()
            hasher.combine(salt)
            for (path, node) in files() {
                hasher.combine(path)
                hasher.combine(node.kind)
                hasher.combine(node.permissions)
                hasher.combine(node.contents.count)
                node.contents.withUnsafeBytes { hasher.combine(bytes: $0) }
            }
            return hasher.finalize()
        }
    }
}
