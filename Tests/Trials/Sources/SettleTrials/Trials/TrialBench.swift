import Foundation
import TrialChecks

/// What a trial runs on: the seed and the size that all trials of a run share, and a folder for its own files.
struct TrialBench: Sendable {
    let seed: UInt64
    var size: TrialSize
    let folder: URL

    /// Creates a folder in a parent; `remove` deletes it with everything in it.
    init(seed: UInt64, size: TrialSize, in parent: URL) throws {
        self.seed = seed
        self.size = size
        folder = parent.appending(path: "settle-trials-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder.appending(path: SecretSearch.folderName), withIntermediateDirectories: true)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Random numbers for a trial: the same for the same seed and name, whatever else runs.
    func random(for name: String) -> SeededGenerator {
        var seed = seed
        for byte in name.utf8 { seed = SeededGenerator.number(seed: seed, at: Int(byte)) }
        return SeededGenerator(seed: seed)
    }

    /// Creates a folder for the settings of one file.
    func makeFolder(_ name: String) throws -> String {
        let folder = folder.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// A place for a child that works in a folder. Its acknowledgements and its secrets are kept outside.
    func place(_ contender: ContenderKind, in folder: String, named name: String) -> ChildPlace {
        ChildPlace(
            contender: contender, folder: folder,
            acknowledgements: self.folder.appending(path: "\(name).acknowledged").path,
            secrets: self.folder.appending(path: "\(SecretSearch.folderName)/\(name)").path)
    }

    /// Copies the files of a disk that is about to be unmounted, so that they are searched for secrets too.
    func keepFiles(in folder: String, named name: String) throws {
        try FileManager.default.copyItem(
            at: URL(filePath: folder, directoryHint: .isDirectory), to: self.folder.appending(path: "\(name)-left"))
    }
}
