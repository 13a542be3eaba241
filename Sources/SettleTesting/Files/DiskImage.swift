import Settle

/// The files of a simulated disk as processes see them, with the state that determines how a loss of power may leave
/// them.
///
/// The rules are those of a journaling file system at its least helpful. Changes of names survive in the order in which
/// they were made in their folder, but none is guaranteed to survive before that folder is synced. Bytes survive only
/// once their file is synced. Syncing a file does not make its name survive. Permissions always survive.
struct DiskImage: Sendable {
    /// Changes of names in one folder that survive together or not at all.
    struct Change: Sendable {
        var folder: Int
        var entries: [String: Int?]
    }

    static let root = 0

    var nodes: [Int: DiskNode] = [root: DiskNode(.folder, permissions: 0o755)]
    var unsyncedChanges: [Change] = []
    /// The time that passes with every change.
    private static let tick: Int64 = 1_000_000
    private var now: Int64 = 1_700_000_000_000_000_000

    // MARK: Contents

    /// Changes a node without advancing the time.
    mutating func update(_ number: Int, _ change: (inout DiskNode) -> Void) {
        // Remove the node while it changes, so that its bytes are not copied.
        guard var node = nodes.removeValue(forKey: number) else { return }
        change(&node)
        nodes[number] = node
    }

    /// Advances the time, and sets a node's change times to it.
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

    /// Returns the disk on which the chosen changes of names have survived and files have these bytes, all on stable
    /// storage.
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

    /// Returns every path with its node, once for each name.
    func files(from number: Int = root, at path: String = "") -> [(path: String, node: DiskNode)] {
        entries(of: number).sorted { $0.key < $1.key }.flatMap { name, number -> [(path: String, node: DiskNode)] in
            guard let node = nodes[number] else { return [] }
            return [(path + "/" + name, node)] + files(from: number, at: path + "/" + name)
        }
    }

    /// A value that is equal for two disks that look alike to a process, apart from times.
    var fingerprint: [Int] {
        // Two hashes, since a single one may collide.
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
