import Settle

/// A file, folder or symbolic link of a simulated disk, independent of its names.
struct DiskNode: Sendable {
    enum Kind: Sendable, Hashable {
        case file, folder
        case symbolicLink(target: String)
    }

    let kind: Kind
    var permissions: UInt16
    var owner = FileStatus.Owner(user: 0, group: 0)
    /// For a file: the contents that processes see.
    private(set) var contents: [UInt8] = []
    /// Every state of the contents since the last sync, with the synced one first and the present one last.
    private(set) var versions: [[UInt8]] = [[]]
    /// The sectors that differ between versions. A version that is too short counts as zeros.
    private(set) var changedSectors: Set<Int> = []
    /// Whether a sync has failed. Later syncs then report success and write nothing, as they do where the failed sync
    /// has marked the pages as clean.
    var isPoisoned = false
    /// For a folder: the nodes by name, as processes see them.
    var entries: [String: Int] = [:]
    /// The names that are on stable storage.
    var survivingEntries: [String: Int] = [:]
    /// The time of the last change of the contents, in nanoseconds since 1970.
    var contentsChanged: Int64 = 0
    var statusChanged: Int64 = 0

    init(_ kind: Kind, permissions: UInt16) {
        self.kind = kind
        self.permissions = permissions
    }

    var isFolder: Bool { kind == .folder }

    var isUnsynced: Bool { versions.count > 1 }

    mutating func write(_ bytes: some Collection<UInt8>, at offset: Int) {
        guard !bytes.isEmpty else { return }
        change { contents in
            let end = offset + bytes.count
            if contents.count < end { contents += [UInt8](repeating: 0, count: end - contents.count) }
            contents.replaceSubrange(offset..<end, with: bytes)
            return offset..<end
        }
    }

    mutating func truncate(to size: Int) {
        guard size != contents.count else { return }
        change { contents in
            let old = contents.count
            if size > old {
                contents += [UInt8](repeating: 0, count: size - old)
            } else {
                contents.removeLast(old - size)
            }
            return min(old, size)..<max(old, size)
        }
    }

    /// - Parameter change: Returns the range of bytes that may have changed.
    private mutating func change(_ change: (inout [UInt8]) -> Range<Int>) {
        let old = contents
        let range = change(&contents)
        versions.append(contents)
        let size = SectorMix.sectorSize
        for sector in (range.lowerBound / size)..<((range.upperBound + size - 1) / size)
        where SectorMix.sector(sector, of: old) != SectorMix.sector(sector, of: contents) {
            changedSectors.insert(sector)
        }
    }

    mutating func synchronize() {
        if !isPoisoned { forget(but: contents) }
        survivingEntries = entries
    }

    /// Makes the bytes that survived a loss of power the only version.
    mutating func settle(_ bytes: [UInt8]) {
        contents = bytes
        forget(but: bytes)
        survivingEntries = entries
        isPoisoned = false
    }

    private mutating func forget(but version: [UInt8]) {
        versions = [version]
        changedSectors = []
    }
}
