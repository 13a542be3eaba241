public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs a scenario and checks every state in which a crash might have left its settings files.
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
/// The scenario runs once, on an in-memory disk, with the storage that a `SettingsStore` uses for files. A crash is
/// simulated before each call that changes this disk and after the last one. The disk that the crash would leave is
/// then opened again:
///
/// - **The process is killed.** Everything written is there. A part of a write in progress may be there.
/// - **The power fails.** Changes of names survive in order, up to any moment since their folder was last synced. Each
///   unsynced sector of 512 bytes has its state at any moment since the last sync, and so does the file's size.
///
/// Besides your check, these must hold: a store can be opened; it has the values from before or after some batch of
/// changes and never anything else; no batch is lost that was reported stable or, if only the process was killed, that
/// had been written at all; the next load finds the same values, even if the first load crashes too; and values that
/// are stored stably then survive the next loss of power. A crash also never looks like a first run once something was
/// stored, or as if the file had been removed; see `SettingsStore.File.loadOutcome`.
///
/// A scenario may have several settings files (``CrashRun/openStore(named:)``). They are on one disk, so a crash may
/// come between any two of their changes, and the power fails for all of them at once. The requirements hold for each
/// file alone; your check covers relations between files.
///
/// - Parameters:
///   - acknowledging: The type of the values given to ``CrashRun/acknowledge(_:)``.
///   - initialFiles: The files that exist at first, by their names beside the settings file, which is `settings.json`,
///     or their paths below its folder. That folder exists in any case.
///   - savePolicy: When the stores save uncommitted changes. Their clock stands still until ``CrashRun/settle()``.
///   - maximumImagesPerPoint: The maximum number of outcomes of a loss of power that are checked for one moment. If
///     there are more, those in which all unsynced bytes are lost or all are kept come first, and the others are chosen
///     at random.
///   - seed: Reproduces the random choices. It is in every ``CrashFailure``.
///   - scenario: Called once.
///   - check: Called once for each distinct outcome.
/// - Throws: ``CrashFailure`` for the first outcome that violates a requirement, or the error that the scenario throws.
public func forEachCrashPoint<Acknowledged: Sendable>(
    acknowledging: Acknowledged.Type,
    initialFiles: [String: Data] = [:],
    savePolicy: SavePolicy = .debounced(),
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Acknowledged>) async throws -> Void,
    check: (CrashRecovery<Acknowledged>) async throws -> Void
) async throws {
    try await forEachCrashPoint(
        of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0) },
        acknowledging: acknowledging, initialFiles: initialFiles, savePolicy: savePolicy,
        maximumImagesPerPoint: maximumImagesPerPoint, seed: seed, scenario, check: check)
}

/// Runs a scenario without acknowledgements; see
/// ``forEachCrashPoint(acknowledging:initialFiles:savePolicy:maximumImagesPerPoint:seed:_:check:)``.
public func forEachCrashPoint(
    initialFiles: [String: Data] = [:],
    savePolicy: SavePolicy = .debounced(),
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Never>) async throws -> Void,
    check: (CrashRecovery<Never>) async throws -> Void = { _ in }
) async throws {
    try await forEachCrashPoint(
        acknowledging: Never.self, initialFiles: initialFiles, savePolicy: savePolicy,
        maximumImagesPerPoint: maximumImagesPerPoint, seed: seed, scenario, check: check)
}

/// Makes the storage for the file with a given name on a disk. The file is in ``crashFolder``.
package typealias MakeCrashStorage = @Sendable (_ disk: any SystemCalls, _ name: String) -> any Storage

/// Runs a scenario as above, with another kind of storage.
///
/// - Parameters:
///   - makesFolder: Whether that folder exists at first, on stable storage.
///   - history: The history that the stores of the scenario keep.
/// - Returns: The numbers of moments and outcomes checked.
@discardableResult
package func forEachCrashPoint<Acknowledged: Sendable>(
    of makeStorage: @escaping MakeCrashStorage,
    acknowledging: Acknowledged.Type,
    initialFiles: [String: Data] = [:],
    makesFolder: Bool = true,
    savePolicy: SavePolicy = .debounced(),
    history: HistoryPolicy = .unchanged,
    maximumImagesPerPoint: Int = 100,
    seed: UInt64 = .random(in: 0 ... .max),
    _ scenario: (CrashRun<Acknowledged>) async throws -> Void,
    check: (CrashRecovery<Acknowledged>) async throws -> Void = { _ in }
) async throws -> (points: Int, images: Int) {
    let disk = try SimulatedDisk.with(initialFiles, makesFolder: makesFolder)
    let run = try await CrashRun<Acknowledged>(
        on: disk, savePolicy: savePolicy, history: history, makeStorage)
    let log = run.log
    disk.observe { log.note($0) }
    try await scenario(run)
    disk.observe(nil)
    log.end(with: disk.image)

    var verification = CrashVerification(run, seed: seed, limit: maximumImagesPerPoint, makeStorage)
    for point in log.points { try await verification.verify(point, check: check) }
    return (log.points.count, verification.imageCount)
}

/// The folder of a scenario's files.
package let crashFolder = URL(filePath: "/home/app", directoryHint: .isDirectory)
/// The path of a scenario's settings file.
package func crashPath(of name: String) -> FilePath {
    FilePath(crashFolder.path(percentEncoded: false)).withoutTrailingSlashes.appending(name)
}
/// The name of the settings file that every scenario has.
package let crashFile = "settings.json"

extension SimulatedDisk {
    /// Makes a disk with only these files in ``crashFolder``, all on stable storage.
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
            try operations.write(Array(contents), to: file, at: path)
            try operations.synchronize(file, at: path)
            try operations.close(file, at: path)
        }
        for folder in folders { try operations.synchronizeFolder(folder) }
        return disk
    }
}
