import Foundation
import SettleTesting
import Synchronization

@testable import Settle

/// A folder in which everything is as in a mounted volume: links through `..data` to a generation.
final class MountedVolume: Sendable {
    let temporary: TemporaryFolder
    let folder: URL
    private let number = Atomic(0)

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.url.appending(path: "secrets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    var path: FilePath { FilePath(folder.path) }

    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: name).path, withDestinationPath: target)
    }

    /// Switches to a new generation, as Kubernetes does, and removes the one before.
    func publish(_ values: [String: String], links: Bool = false) throws {
        let name = "..2024_12_24_\(number.add(1, ordering: .relaxed).newValue)"
        try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        for (file, value) in values { try write(value, to: "\(name)/\(file)") }
        let before = try? FileManager.default.destinationOfSymbolicLink(
            atPath: folder.appending(path: "..data").path)
        try link("..data_tmp", to: name)
        try POSIXSystemCalls().renameFile(
            path.appending("..data_tmp").text, to: path.appending("..data").text)
        if links {
            for file in Set(values.keys.map { $0.components(separatedBy: "/")[0] }) {
                try link(file, to: "..data/\(file)")
            }
        }
        if let before { try FileManager.default.removeItem(at: folder.appending(path: before)) }
    }
}
