import Settle

/// Path resolution and changes of names.
extension DiskImage {
    /// - Parameter followsLast: Whether to follow a symbolic link at the end of the path.
    func node(at path: String, followsLast: Bool = true) throws(SystemError) -> Int {
        try node(at: path, from: [Self.root], followsLast: followsLast, links: 0)
    }

    /// - Parameter folders: The folders from the root to the one in which a relative path starts.
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

    /// Returns an entry of a folder itself, without following a link.
    func entry(_ name: String, of folder: Int) throws(SystemError) -> Int {
        guard nodes[folder]?.isFolder == true else { throw .notFolder }
        guard let number = entries(of: folder)[name] else { throw .notFound }
        return number
    }

    func entries(of number: Int) -> [String: Int] {
        nodes[number]?.entries ?? [:]
    }

    /// Returns the number of names that a node has.
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

    /// Makes a folder and its parents, as if they had always existed.
    mutating func makeStableFolder(_ path: String) {
        var folder = Self.root
        for name in path.split(separator: "/").map(String.init) {
            if let known = entries(of: folder)[name] {
                folder = known
                continue
            }
            let number = nodes.count
            nodes[number] = DiskNode(.folder, permissions: 0o700)
            update(folder) { node in
                node.entries[name] = number
                node.survivingEntries[name] = number
            }
            folder = number
        }
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

    /// Removes an empty folder.
    mutating func removeFolder(_ path: String) throws(SystemError) {
        let number = try node(at: path, followsLast: false)
        guard nodes[number]?.isFolder == true else { throw .notFolder }
        guard entries(of: number).isEmpty else { throw .notEmpty }
        let (folder, name) = try place(path)
        change(folder, [name: nil])
    }

    /// Renames within one folder, which suffices for replacing a file.
    mutating func rename(_ path: String, to newPath: String) throws(SystemError) {
        let number = try node(at: path, followsLast: false)
        let (folder, name) = try place(path)
        let (newFolder, newName) = try place(newPath)
        guard folder == newFolder else { throw .crossesDevices }
        let replaced = entries(of: folder)[newName]
        // Both names refer to the same file: as in POSIX, the call does nothing.
        guard replaced != number else { return }
        if let replaced, nodes[replaced]?.isFolder == true { throw .isFolder }
        change(folder, [name: nil, newName: number])
        touch(number, isContents: false)
        if let replaced { touch(replaced, isContents: false) }
    }

    /// Exchanges two names within one folder.
    mutating func exchange(_ path: String, _ other: String) throws(SystemError) {
        let (number, otherNumber) = (try node(at: path, followsLast: false), try node(at: other, followsLast: false))
        let (folder, name) = try place(path)
        let (otherFolder, otherName) = try place(other)
        guard folder == otherFolder else { throw .crossesDevices }
        change(folder, [name: otherNumber, otherName: number])
        for number in [number, otherNumber] { touch(number, isContents: false) }
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
}
