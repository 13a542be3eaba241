import ArgumentParser
import Foundation
import PasscodeLock
import Settle

/// The lock's files.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file that keeps the lock. Its second copy is beside it, with “copy” in its name.", valueName: "path"),
        completion: .file(extensions: ["json", "plist"]))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The folder that keeps the lock, in settings.json. Default: the platform's places for com.example.passcode.",
            valueName: "path"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "A file that remembers how often the lock was written, to notice an old copy of it. Keep it where the lock's "
                + "owner can't put back an older one.",
            valueName: "path"),
        completion: .file())
    var witness: String?

    func validate() throws {
        for (name, path) in [("file", file), ("folder", folder), ("witness", witness)] where path?.isEmpty == true {
            throw ValidationError("--\(name) has an empty path. Is a variable missing?")
        }
        if file != nil, folder != nil { throw ValidationError("Give --file or --folder, not both.") }
    }

    /// Opens the stores and their lock.
    func open() async throws -> OpenLock {
        try await OpenLock(in: copies(), witness: witness.map { URL(filePath: $0) })
    }

    private func copies() async throws -> [SettingsStore] {
        let name = "com.example.passcode"
        guard
            let file = file.map({ URL(filePath: $0) }) ?? folder.map({ URL(filePath: $0, directoryHint: .isDirectory) })
        else { return [try await SettingsStore.open(name), try await SettingsStore.open("\(name).copy")] }
        let first = folder == nil ? file : file.appending(path: "settings.json")
        let second = first.deletingPathExtension().appendingPathExtension("copy")
            .appendingPathExtension(first.pathExtension.isEmpty ? "json" : first.pathExtension)
        return [try await SettingsStore.open(at: first), try await SettingsStore.open(at: second)]
    }
}

/// A lock with the stores that keep it.
struct OpenLock {
    let lock: PasscodeLockout
    private let stores: [SettingsStore]

    init(in copies: [SettingsStore], witness file: URL?) async throws {
        var witness: StoredWitness?
        var stores = copies
        if let file {
            let store = try await SettingsStore.open(at: file)
            stores.append(store)
            witness = try await StoredWitness(in: store)
        }
        self.stores = stores
        lock = try await PasscodeLockout(in: copies[0], and: copies[1], witness: witness)
    }

    /// Saves unsaved values, none of which decides anything: the result of a try stands even if that fails.
    func close() async {
        for store in stores {
            do { try await store.close() } catch { Terminal.complain("\(error)") }
        }
    }
}
