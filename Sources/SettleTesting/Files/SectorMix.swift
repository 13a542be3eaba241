/// The unsynced bytes of a file that survive a loss of power.
///
/// A disk writes sectors of 512 bytes, each as a whole and in any order, and leaves each in any state that it has had
/// since the last sync. The file's size reaches the disk, or does not, independently.
enum SectorMix: Sendable, Hashable, CustomStringConvertible {
    static let sectorSize = 512

    /// The synced bytes, and the synced size.
    case lost
    /// The synced bytes and the new size, with zeros where there was nothing.
    case lostButSize
    /// The new bytes, up to the synced size.
    case keptButSize
    case kept
    /// The first differing sectors are new, up to this many; the rest are old.
    case first(Int)
    /// The first differing sectors are old, up to this many; the rest are new.
    case allButFirst(Int)
    /// Every other differing sector is new.
    case alternating(startsNew: Bool)
    /// Each sector has its state at any moment since the last sync, and so does the size.
    case random(UInt64)

    var description: String {
        switch self {
        case .lost: "lost"
        case .lostButSize: "lost, but not the new size"
        case .keptButSize: "kept, but not the new size"
        case .kept: "kept"
        case .first(let count): "kept in the first \(count) sectors"
        case .allButFirst(let count): "lost in the first \(count) sectors"
        case .alternating(let startsNew): "kept in every other sector, \(startsNew ? "the first" : "the second") first"
        case .random(let seed): "any mix of sectors (seed \(seed))"
        }
    }

    /// Returns the mixes that may differ for a file, except for random ones.
    static func all(of node: DiskNode) -> [SectorMix] {
        let count = node.changedSectors.count
        let steps = count < 2 ? [] : Array(1..<count)
        return [.lost, .kept, .lostButSize, .keptButSize] + steps.map(Self.first) + steps.map(Self.allButFirst)
            + (count < 3 ? [] : [.alternating(startsNew: true), .alternating(startsNew: false)])
    }

    /// Returns the bytes that the mix leaves of a file.
    func bytes(of node: DiskNode) -> [UInt8] {
        let versions = node.versions
        guard let old = versions.first, let new = versions.last, versions.count > 1 else { return node.contents }
        let newest = versions.count - 1
        switch self {
        case .lost: return old
        case .kept: return new
        case .lostButSize: return Self.mix(node, size: new.count) { _ in 0 }
        case .keptButSize: return Self.mix(node, size: old.count) { _ in newest }
        case .first(let count): return Self.mix(node, size: new.count) { $0 < count ? newest : 0 }
        case .allButFirst(let count): return Self.mix(node, size: new.count) { $0 < count ? 0 : newest }
        case .alternating(let startsNew):
            return Self.mix(node, size: new.count) { ($0 % 2 == 0) == startsNew ? newest : 0 }
        case .random(let seed):
            var random = SeededGenerator(seed: seed)
            let size = versions.randomElement(using: &random)?.count ?? new.count
            return Self.mix(node, size: size) { _ in Int.random(in: versions.indices, using: &random) }
        }
    }

    /// - Parameter choice: The version that a sector comes from; sectors are counted among those that differ.
    private static func mix(_ node: DiskNode, size: Int, _ choice: (Int) -> Int) -> [UInt8] {
        // Sectors that do not differ are the same in every version.
        var result = Array(node.contents.prefix(size))
        result += [UInt8](repeating: 0, count: size - result.count)
        for (index, sector) in node.changedSectors.sorted().enumerated() {
            let bytes = self.sector(sector, of: node.versions[choice(index)])
            let range = min(sector * sectorSize, size)..<min((sector + 1) * sectorSize, size)
            if !range.isEmpty { result.replaceSubrange(range, with: bytes[..<range.count]) }
        }
        return result
    }

    /// Returns a sector, padded with zeros where the version is shorter.
    static func sector(_ number: Int, of version: [UInt8]) -> [UInt8] {
        let start = min(number * sectorSize, version.count)
        let bytes = Array(version[start..<min(start + sectorSize, version.count)])
        return bytes + [UInt8](repeating: 0, count: sectorSize - bytes.count)
    }
}
