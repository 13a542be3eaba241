import Foundation
import TrialChecks

/// What all trials of a run share: the seed, the size, and a folder for the files.
struct TrialBench: Sendable {
    let seed: UInt64
    var size: TrialSize
    let folder: URL

    /// Creates a folder in a parent; `remove` deletes it with everything in it.
    init(seed: UInt64, size: TrialSize, in parent: URL) throws {
        self.seed = seed
        self.size = size
        folder = parent.appending(path: "settle-trials-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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

    /// A place for a child that works in a folder. Its acknowledgements are kept outside.
    func place(_ contender: ContenderKind, in folder: String, named name: String) -> ChildPlace {
        let file = self.folder.appending(path: "\(name).acknowledged").path
        return ChildPlace(contender: contender, folder: folder, acknowledgements: file)
    }
}
