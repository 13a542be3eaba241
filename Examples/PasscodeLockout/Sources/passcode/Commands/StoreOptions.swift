import ArgumentParser
import Foundation
import PasscodeLock
import Settle
import SettleInterchange

/// The lock's files.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file with the lock. Its second copy is beside it, with “copy” in its name.", valueName: "path"),
        completion: .file(extensions: ["json", "plist"]))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The folder with the lock, in settings.json. Default: the platform's folders for com.example.passcode.",
            valueName: "path"),
        completion: .directory)
    var folder: String?

    @Option(
        help: ArgumentHelp(
            "A file that remembers how often the lock was written, to notice an old copy of it. Keep it where the lock's "
                + "owner can't restore an older one.",
            valueName: "path"),
        completion: .file())
    var witness: String?

    func validate() throws {
        for (name, path) in [("file", file), ("folder", folder), ("witness", witness)] where path?.isEmpty == true {
            throw ValidationError("--\(name) has an empty path. Is a variable missing?")
        }
        if file != nil, folder != nil { throw ValidationError("Give --file or --folder, not both.") }
    }

    /// Refuses a copy that is in the witness's own file: restoring an older copy would restore the witness, too.
    func checkWitness() throws {
        guard let witness = witness.map({ FileIdentity(URL(filePath: $0)) }) else { return }
        for file in copies.flatMap(CopyFiles.all).flatMap(\.main) where FileIdentity(file).isSame(as: witness) {
            throw ValidationError("“\(file.path)” is the witness's own file. The lock needs another one.")
        }
    }

    /// Opens the stores and their lock.
    func open() async throws -> OpenLock {
        try checkWitness()
        var stores: [SettingsStore] = []
        for copy in copies { stores.append(try await SettingsStore.open(at: copy)) }
        return try await OpenLock(in: stores, witness: witness.map { URL(filePath: $0) })
    }

    /// Why a try could not be stored, as a sentence, if that can be seen without writing anything.
    var obstacle: String? { CopyFiles.obstacle(to: copies + (witness.map { [URL(filePath: $0)] } ?? [])) }

    /// The lock's two files.
    var copies: [URL] {
        let first: URL
        if let file {
            first = URL(filePath: file)
        } else if let folder {
            first = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "settings.json")
        } else {
            return ["com.example.passcode", "com.example.passcode.copy"].map(Self.standardFile)
        }
        let second = first.deletingPathExtension().appendingPathExtension("copy")
            .appendingPathExtension(first.pathExtension.isEmpty ? "json" : first.pathExtension)
        return [first, second]
    }

    /// Where `SettingsStore.open(name)` has its file.
    private static func standardFile(of name: String) -> URL {
        #if canImport(Darwin)
            let place = URL.applicationSupportDirectory
        #else
            let environment = ProcessInfo.processInfo.environment
            func folder(_ key: String) -> URL? {
                environment[key].flatMap { $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil }
            }
            let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
            let place = folder("XDG_CONFIG_HOME") ?? home.appending(path: ".config")
        #endif
        return place.appending(path: name).appending(path: "settings.json")
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

    /// Tells other programs what the files have: that only the lock writes it, and what must not be shown.
    func writeSchemas() async {
        for store in stores {
            do { try await store.file.writeSchema() } catch { Terminal.complain("\(error)") }
        }
    }

    /// Saves unsaved values, none of which decides anything: the result of a try stands even if that fails.
    func close() async {
        for store in stores {
            do { try await store.close() } catch { Terminal.complain("\(error)") }
        }
    }
}
