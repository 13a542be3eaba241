package import Settle
import Synchronization

/// Calls on paths.
extension SimulatedDisk {
    package func status(at path: String) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in
            state.image.status(of: try state.image.node(at: path, followsLast: false))
        }
    }

    package func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        try change(.setPermissions, path) { (image) throws(SystemError) in
            let node = try image.node(at: path)
            image.update(node) { $0.permissions = permissions }
            image.touch(node, isContents: false)
        }
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try change(.rename, newPath) { (image) throws(SystemError) in try image.rename(path, to: newPath) }
    }

    package func exchangeFiles(_ path: String, _ other: String) throws(SystemError) {
        try change(.exchange, other) { (image) throws(SystemError) in try image.exchange(path, other) }
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try change(.link, newPath) { (image) throws(SystemError) in try image.link(path, to: newPath) }
    }

    package func removeFile(_ path: String) throws(SystemError) {
        try change(.remove, path) { (image) throws(SystemError) in try image.remove(path) }
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try change(.makeFolder, path) { (image) throws(SystemError) in
            _ = try image.add(DiskNode(.folder, permissions: permissions), at: path)
        }
    }

    package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        try state.withLock { (state) throws(SystemError) in
            let node = try state.image.node(at: path)
            guard state.image.nodes[node]?.isFolder == true else { throw .notFolder }
            return Array(state.image.entries(of: node).keys)
        }
    }

    package func linkTarget(_ path: String) throws(SystemError) -> String {
        try state.withLock { (state) throws(SystemError) in
            let node = try state.image.node(at: path, followsLast: false)
            guard case .symbolicLink(let target) = state.image.nodes[node]?.kind else { throw .invalidArgument }
            return target
        }
    }

    private func change(
        _ kind: SystemCall.Kind, _ path: String, _ body: (inout DiskImage) throws(SystemError) -> Void
    ) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            state.announce(kind, path)
            try body(&state.image)
        }
    }
}

extension DiskImage {
    func status(of number: Int) -> FileStatus {
        let node = nodes[number]
        let kind: FileStatus.Kind =
            switch node?.kind {
            case .folder: .folder
            case .symbolicLink: .symbolicLink
            case .file, nil: .file
            }
        let size =
            if case .symbolicLink(let target) = node?.kind { target.utf8.count } else { node?.contents.count ?? 0 }
        return FileStatus(
            kind: kind,
            size: Int64(size),
            permissions: node?.permissions ?? 0,
            owner: node?.owner ?? FileStatus.Owner(user: 0, group: 0),
            identity: FileStatus.Identity(device: 1, file: UInt64(number)),
            linkCount: linkCount(of: number),
            contentsChanged: node?.contentsChanged ?? 0,
            statusChanged: node?.statusChanged ?? 0)
    }

    /// Returns the path to a missing file after following the symbolic links at its end.
    func target(of path: String) throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            guard let node = try? node(at: path, followsLast: false),
                case .symbolicLink(let target) = nodes[node]?.kind
            else { return path }
            path = target.hasPrefix("/") ? target : FilePath(path).sibling(named: target).text
        }
        throw .tooManySymbolicLinks
    }

    /// Returns one of the paths of a node.
    func path(of number: Int) -> String? {
        func search(_ folder: Int, _ path: String) -> String? {
            for (name, next) in entries(of: folder).sorted(by: { $0.key < $1.key }) {
                if next == number { return path + "/" + name }
                if let found = search(next, path + "/" + name) { return found }
            }
            return nil
        }
        return search(Self.root, "")
    }
}
