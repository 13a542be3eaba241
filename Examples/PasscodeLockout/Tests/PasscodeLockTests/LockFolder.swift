import Foundation
import PasscodeLock
import Settle

/// A folder with a lock's files, and what anyone with write access can do to them.
struct LockFolder {
    let url: URL

    /// The settings files of the two stores, which people may edit.
    var copies: [URL] { [url.appending(path: "settings.json"), url.appending(path: "settings.copy.json")] }

    /// The names of the state files, which have the lock.
    static let states = ["settings.state.json", "settings.copy.state.json"]

    /// Whether a file belongs to a copy: its settings, its state, or what stands beside them.
    static func isFile(_ name: String, of copy: Int) -> Bool {
        [["settings.json", "settings.copy.json"][copy], states[copy]].contains {
            name == $0 || name.hasPrefix(".\($0).") || name.hasPrefix("\($0).")
        }
    }

    /// The two stores as another process would open them: on storages not shared in this process.
    func openStores(
        _ wrap: (any Storage) -> any Storage = { $0 }
    ) async throws -> [SettingsStore] {
        var stores: [SettingsStore] = []
        for copy in copies { stores.append(try await SettingsStore.open(storage: wrap(FileStorage(at: copy)))) }
        return stores
    }

    /// Sets a passcode, and guesses wrong, on this machine's time.
    func enrol(_ passcode: String, cost: ScryptCost, wrongGuesses: Int = 0) async throws {
        let stores = try await openStores()
        let lock = try await PasscodeLockout(in: stores[0], and: stores[1], verifier: ScryptVerifier(cost))
        let result = try await lock.enrol(Passcode(passcode))
        guard result == .accepted else { throw LockViolation("The passcode was not taken: \(result).") }
        for _ in 0..<wrongGuesses { _ = await lock.unlock(with: try LockFixture.anotherWrong()) }
        for store in stores { try await store.close() }
    }

    /// The names of all files in the folder, sorted.
    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    func bytes(of name: String) throws -> Data {
        try Data(contentsOf: url.appending(path: name))
    }

    func write(_ bytes: Data, to name: String) throws {
        try bytes.write(to: url.appending(path: name))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: url.appending(path: name))
    }

    /// The bytes of all files, for restoring them later.
    func contents() throws -> [String: Data] {
        try Dictionary(uniqueKeysWithValues: files.map { ($0, try bytes(of: $0)) })
    }

    /// Restores the folder to an earlier state.
    func restore(_ contents: [String: Data]) throws {
        for name in try files where contents[name] == nil { try remove(name) }
        for (name, bytes) in contents { try write(bytes, to: name) }
    }
}

/// A process that uses a folder's lock.
struct LockProcess {
    let stores: [SettingsStore]
    let lock: PasscodeLockout
    let verifier: TestVerifier

    init(
        in folder: LockFolder, time: any MachineTime, verifier: TestVerifier = TestVerifier(),
        witness: (any RollbackWitness)? = nil, _ wrap: (any Storage) -> any Storage = { $0 }
    ) async throws {
        try await self.init(on: folder.openStores(wrap), time: time, verifier: verifier, witness: witness)
    }

    init(
        on stores: [SettingsStore], time: any MachineTime, verifier: TestVerifier = TestVerifier(),
        witness: (any RollbackWitness)? = nil
    ) async throws {
        self.stores = stores
        self.verifier = verifier
        lock = try await PasscodeLockout(
            in: stores[0], and: stores[1], time: time, verifier: verifier, witness: witness, patience: .seconds(600))
    }

    func close() async throws {
        for store in stores { try await store.close() }
    }

    /// The lock's status after merging what other processes have stored. Asking for a new passcode without giving the
    /// old one is no try.
    func freshStatus() async throws -> LockStatus {
        guard case .refused(let status) = try await lock.enrol(Passcode("not asked for")) else {
            throw LockViolation("A new passcode was taken without the old one.")
        }
        return status
    }
}

/// A violation of the lock's rules.
struct LockViolation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension LockStatus {
    /// Whether this status is better for an attacker than another one.
    func isLessStrict(than other: LockStatus) -> Bool {
        switch (other, self) {
        // Then anyone could choose a passcode.
        case (_, .unavailable(.notEnrolled)): true
        case (_, .unavailable), (.unavailable, _), (_, .exhausted), (.ready, _): false
        case (.delayed(let before, _), .delayed(let now, _)): now < before
        case (.delayed, .ready), (.exhausted, _): true
        }
    }
}
