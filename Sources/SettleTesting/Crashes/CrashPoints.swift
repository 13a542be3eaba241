public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs a scenario and looks at every way in which a crash might have left its settings files.
///
/// ```swift
/// try await forEachCrashPoint(acknowledging: Int.self) { run in
///     let store = try await run.openStore()
///     let lock = try await store.group(LockSettings.self)
///     try await lock.commit { lock.attemptCount += 1 }
///     run.acknowledge(lock.attemptCount)
/// } check: { recovered in
///     let lock = try await recovered.store.group(LockSettings.self)
///     #expect(lock.attemptCount >= recovered.acknowledged.last ?? 0, "\(recovered)")
/// }
/// ```
///
/// The scenario runs once, on a disk in memory, with the storage that a `SettingsStore` uses for files. Before each call that
/// changes this disk, and after the last one, everything might end; what the disk would look like then is opened again:
///
/// - **The process is killed.** All that was written is there. Of a write that was under way a part may be there.
/// - **The power fails.** Changes of names survive in their order up to any moment since their folder was synced. Of bytes
///   that were not synced each sector of 512 bytes is found as at any moment since the last sync, and so is the file's size.
///
/// Whatever your check says, it is demanded that a store can be opened; that it has the values of before or after some batch
/// of changes and never anything else; that no batch is lost that was called stable or, if only the process was killed, that
/// had been written at all; that the next load finds the same, also if that first load crashes too; and that what is stored
/// stably then survives the next loss of power. Nor does a crash ever look like a first run once something was stored, or as if
/// somebody had removed the file; see `SettingsStore.loadOutcome`.
///
/// A scenario may have several settings files (``CrashRun/openStore(named:)``). They are on one disk, so a crash comes between any
/// two of their changes, and the power fails for all of them at once. What is demanded holds for each of them alone; what
/// they must have in common is up to your check.
///
/// - Parameters:
///   - acknowledging: The type of what is given to ``CrashRun/acknowledge(_:)``.
///   - initialFiles: The files that there are at first, by their names beside the settings file, which is `settings.json`, or
///     their paths below its folder. That folder exists in any case.
///   - durability: When the stores save what is not committed. Their clock stands still until ``CrashRun/settle()``.
///   - maximumImagesPerPoint: How many outcomes of a loss of power are looked at for one moment, at most. If there are more,
///     those in which each unsynced byte is lost or each is kept come first, and of the others some are chosen at random.
///   - seed: Brings back what was chosen at random. It is in every ``CrashFailure``.
///   - scenario: Called once.
///   - check: Called once for each different outcome.
/// - Throws: ``CrashFailure`` for the first outcome in which something is wrong, or what the scenario throws.
public func forEachCrashPoint<Acknowledged: Sendable>(
    acknowledging: Acknowledged.Type,
    initialFiles: [String: Data] = [:],
    durability: Durability = .debounced(),
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Acknowledged>) async throws -> Void,
    check: (CrashRecovery<Acknowledged>) async throws -> Void
) async throws {
    try await forEachCrashPoint(
        of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0) },
        acknowledging: acknowledging, initialFiles: initialFiles, durability: durability,
        maximumImagesPerPoint: maximumImagesPerPoint, seed: seed, scenario, check: check)
}

/// Runs a scenario that tells the outside world nothing; see
/// ``forEachCrashPoint(acknowledging:initialFiles:durability:maximumImagesPerPoint:seed:_:check:)``.
public func forEachCrashPoint(
    initialFiles: [String: Data] = [:],
    durability: Durability = .debounced(),
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Never>) async throws -> Void,
    check: (CrashRecovery<Never>) async throws -> Void = { _ in }
) async throws {
    try await forEachCrashPoint(
        acknowledging: Never.self, initialFiles: initialFiles, durability: durability,
        maximumImagesPerPoint: maximumImagesPerPoint, seed: seed, scenario, check: check)
}

/// Makes the storage of the file with a name, on a disk. The file is in ``crashFolder``.
package typealias MakeCrashStorage = @Sendable (_ disk: any SystemCalls, _ name: String) -> any Storage

/// The same for storages of another kind.
///
/// - Parameter makesFolder: Whether that folder exists at first, on stable storage.
/// - Returns: How many moments and how many outcomes were looked at.
@discardableResult
package func forEachCrashPoint<Acknowledged: Sendable>(
    of makeStorage: @escaping MakeCrashStorage,
    acknowledging: Acknowledged.Type,
    initialFiles: [String: Data] = [:],
    makesFolder: Bool = true,
    durability: Durability = .debounced(),
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Acknowledged>) async throws -> Void,
    check: (CrashRecovery<Acknowledged>) async throws -> Void = { _ in }
) async throws -> (points: Int, images: Int) {
    let disk = try SimulatedDisk.with(initialFiles, makesFolder: makesFolder)
    let run = try CrashRun<Acknowledged>(on: disk, durability: durability, makeStorage)
    let log = run.log
    disk.observe { log.note($0) }
    try await scenario(run)
    disk.observe(nil)
    log.end(with: disk.image)

    var verification = CrashVerification(run, seed: seed, limit: maximumImagesPerPoint, makeStorage)
    for point in log.points { try await verification.verify(point, check: check) }
    return (log.points.count, verification.imageCount)
}

/// Where the files of a scenario are.
package let crashFolder = URL(filePath: "/home/app", directoryHint: .isDirectory)
/// Where a settings file of a scenario is.
package func crashPath(of name: String) -> FilePath {
    FilePath(crashFolder.path(percentEncoded: false)).withoutTrailingSlashes.appending(name)
}
/// The name of the settings file that every scenario has.
package let crashFile = "settings.json"

extension SimulatedDisk {
    /// A disk with nothing but these files in ``crashFolder``, all on stable storage.
    fileprivate static func with(_ files: [String: Data], makesFolder: Bool) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let operations = FileOperations(disk)
        let folder = crashPath(of: crashFile).folder
        guard makesFolder || !files.isEmpty else { return disk }
        try operations.makeFolders(folder)
        var folders: Set<FilePath> = [folder, folder.folder, FilePath("/")]
        for (name, contents) in files {
            let path = crashPath(of: name)
            try operations.makeFolders(path.folder)
            var above = path.folder
            while folders.insert(above).inserted { above = above.folder }
            let file = try operations.open(path, .createNew(permissions: 0o600))
            try operations.writeAll(Array(contents), to: file, at: path)
            try operations.synchronize(file, at: path)
            try operations.close(file, at: path)
        }
        for folder in folders { try operations.synchronizeFolder(folder) }
        return disk
    }
}
