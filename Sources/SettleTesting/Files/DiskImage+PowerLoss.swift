import Settle

/// A disk as it may be found after a crash, with a description of how that state came about.
struct CrashImage: Sendable {
    let image: DiskImage
    let description: String
}

extension DiskImage {
    /// Returns the distinct disks that may be found after a loss of power at this moment.
    ///
    /// Disks with all or none of the unsynced bytes come first, for each way in which the changes of names may have
    /// survived. Variants of each file alone and of all files together, and random mixes, follow.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of disks. If there are more, those of the first kind come first, and the seed
    ///     chooses among the others.
    ///   - seed: The seed of all random choices.
    func afterLossOfPower(limit: Int, seed: UInt64) -> [CrashImage] {
        var random = SeededGenerator(seed: seed)
        let choices = survivingChanges(limit: limit)
        let mixes = mixes(&random)
        var found: [CrashImage] = []
        var known: Set<[Int]> = []
        func add(_ changes: [Bool], _ mix: FileMix) {
            let image = settled(changes: changes) { mix.mix(of: $0).bytes(of: $1) }
            guard known.insert(image.fingerprint).inserted else { return }
            let names =
                unsyncedChanges.isEmpty ? "" : " \(changes.count { $0 }) of \(changes.count) changes of names survive."
            found.append(CrashImage(image: image, description: "The power fails.\(names) \(mix.description)"))
        }
        for mix in [FileMix(.lost), FileMix(.kept)] {
            for changes in choices where found.count < limit { add(changes, mix) }
        }
        // Limit the attempts too, because many mixes may look alike.
        var rest = mixes.flatMap { mix in choices.map { (mix, $0) } }
        rest.shuffle(using: &random)
        for (mix, changes) in rest.prefix(4 * limit) where found.count < limit { add(changes, mix) }
        return found
    }

    /// Returns each distinct way in which unsynced changes of names may survive.
    private func survivingChanges(limit: Int) -> [[Bool]] {
        // All changes up to one moment, in whatever folder.
        var choices = (0...unsyncedChanges.count).map { count in
            unsyncedChanges.indices.map { $0 < count }
        }
        // Each folder's changes up to its own moment.
        var counts: [[Int: Int]] = [[:]]
        for (folder, changes) in Dictionary(grouping: unsyncedChanges, by: \.folder).sorted(by: { $0.key < $1.key }) {
            guard counts.count * (changes.count + 1) <= max(1, limit) else { break }
            counts = counts.flatMap { counts in
                (0...changes.count).map { counts.merging([folder: $0]) { $1 } }
            }
        }
        for counts in counts {
            var seen: [Int: Int] = [:]
            choices.append(
                unsyncedChanges.map { change in
                    seen[change.folder, default: 0] += 1
                    return (seen[change.folder] ?? 0) <= (counts[change.folder] ?? 0)
                })
        }
        var known: Set<[Bool]> = []
        return choices.filter { known.insert($0).inserted }
    }

    private func mixes(_ random: inout SeededGenerator) -> [FileMix] {
        let unsynced = nodes.filter { $0.value.isUnsynced }.sorted { $0.key < $1.key }
        var mixes: [FileMix] = []
        for (number, node) in unsynced {
            for mix in SectorMix.all(of: node) {
                mixes.append(FileMix(mix))
                guard unsynced.count > 1 else { continue }
                mixes.append(FileMix(.lost, except: number, mix))
                mixes.append(FileMix(.kept, except: number, mix))
            }
        }
        guard !unsynced.isEmpty else { return [] }
        return mixes + (0..<16).map { _ in FileMix(.random(random.next())) }
    }
}

/// The fate of each file's unsynced bytes.
private struct FileMix: CustomStringConvertible {
    private let usual: SectorMix
    private let exception: (number: Int, mix: SectorMix)?

    init(_ usual: SectorMix, except number: Int? = nil, _ mix: SectorMix = .lost) {
        self.usual = usual
        exception = number.map { ($0, mix) }
    }

    func mix(of number: Int) -> SectorMix {
        if let exception, exception.number == number { return exception.mix }
        // Give each file its own mix, derived from one seed.
        if case .random(let seed) = usual { return .random(seed ^ UInt64(number)) }
        return usual
    }

    var description: String {
        "Unsynced bytes are \(usual)" + (exception.map { "; those of file \($0.number) are \($0.mix)." } ?? ".")
    }
}
