import Settle

/// Checks the recovery that every storage must achieve on a disk after a crash, whatever it had stored.
struct RecoveryVerification: Sendable {
    let file: String
    /// The promises made about the file.
    let state: CrashLog.FileState
    let makeStorage: MakeCrashStorage
    /// The number of outcomes of another loss of power that are checked after the recovery, and at each moment during
    /// it.
    private static let limit = 6

    private var trees: [SettingTree] { state.trees }

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - oldest: The first of the trees that may be found.
    ///   - seed: The seed of all random choices.
    func verify(_ image: DiskImage, notBefore oldest: Int, seed: UInt64) async throws {
        let moments = try await verifyOnce(image, notBefore: oldest, seed: seed)
        for (number, moment) in moments.enumerated() {
            do {
                _ = try await verifyOnce(moment.image, notBefore: oldest, seed: seed)
                for lost in moment.image.afterLossOfPower(limit: Self.limit, seed: seed) {
                    _ = try await verifyOnce(lost.image, notBefore: state.synced, seed: seed)
                }
            } catch {
                throw Violation(
                    description: "The recovery was stopped too, before its change \(number + 1) of the disk "
                        + "(\(moment.call)). \(error)")
            }
        }
    }

    /// - Returns: The moments during the first load in which another crash would find a changed disk.
    private func verifyOnce(
        _ image: DiskImage, notBefore oldest: Int, seed: UInt64
    ) async throws -> [SimulatedDisk.Moment] {
        let disk = SimulatedDisk(image)
        let moments = Moments()
        disk.observe { moments.add($0) }
        let contents = try await contents(of: disk) { _ in disk.observe(nil) }
        disk.observe(nil)
        let found = contents.tree
        if !trees[oldest...].contains(where: { Self.isSame($0, found) }) { throw violation(found, notBefore: oldest) }
        if oldest > 0, contents.outcome == .absent {
            throw Violation(description: "It looks as if nothing had ever been stored.")
        }
        var expected = found
        let probe: [SettingKey: SettingValue?] = ["settle-crash-probe": .integer(1)]
        expected.apply(probe)
        var disks: [(image: DiskImage, moment: String)] = []
        let again = try await self.contents(of: disk) { storage in
            _ = try await storage.append(StorageBatch(revision: 1 << 40, values: probe), durability: .synced)
            disks.append((disk.image, "an append"))
            _ = try await storage.bringToRest(expected, for: .closing)
        }.tree
        guard Self.isSame(again, found) else {
            throw Violation(description: "A second load finds \(again.root), the first one found \(found.root).")
        }
        disks.append((disk.image, "a checkpoint"))
        for (image, moment) in disks {
            let killed = CrashImage(image: image, description: "The process is killed.")
            for image in [killed] + image.afterLossOfPower(limit: Self.limit, seed: seed) {
                let final = try await self.contents(of: SimulatedDisk(image.image)) { _ in }.tree
                guard Self.isSame(final, expected) else {
                    throw Violation(
                        description: "What is stored stably after the recovery is lost by the next crash, which comes "
                            + "after \(moment): \(final.root) is found instead of \(expected.root). \(image.description)"
                    )
                }
            }
        }
        return moments.taken
    }

    private func violation(_ found: SettingTree, notBefore oldest: Int) -> Violation {
        guard let older = trees.lastIndex(where: { Self.isSame($0, found) }) else {
            let newest = trees[trees.count - 1].root
            return Violation(
                description: "What is found, \(found.root), was never stored; the newest is \(newest).")
        }
        return Violation(
            description: "Values are lost: the state found is that after batch \(older), \(found.root), but the "
                + "storage had promised to keep batch \(oldest), \(trees[oldest].root).")
    }

    /// Compares trees, even if a file can't represent some of their values directly, such as dates in JSON.
    private static func isSame(_ one: SettingTree, _ other: SettingTree) -> Bool {
        if one == other { return true }
        guard let bytes = try? FileFormat.json.encode(one) else { return false }
        return bytes == (try? FileFormat.json.encode(other))
    }

    /// Opens a storage, uses it, and closes it.
    private func contents(
        of disk: SimulatedDisk, _ use: (any Storage) async throws -> Void
    ) async throws -> StorageContents {
        let storage = makeStorage(disk, file)
        let contents: StorageContents
        do {
            contents = try await storage.load()
        } catch {
            throw Violation(description: "It can't be opened again: \(error)")
        }
        if case .removed(let description) = contents.outcome, !state.isRemovedAtFirst {
            throw Violation(description: "It looks as if what was stored had been removed: \(description)")
        }
        do {
            try await use(storage)
            await storage.close()
        } catch {
            throw Violation(description: "It can be opened again but not written: \(error)")
        }
        return contents
    }
}

/// Collects the moments that a disk announces.
private final class Moments: Sendable {
    private let moments = LockedValue<[SimulatedDisk.Moment]>([])

    func add(_ moment: SimulatedDisk.Moment) {
        moments.withLock { $0.append(moment) }
    }

    var taken: [SimulatedDisk.Moment] { moments.withLock { $0 } }
}
