import FoundationEssentials
import SettleTestSupport
import SettleTesting

@testable import Settle

/// A simulated disk with a file for each domain. Nothing is watched: the store is told when a file has changed.
final class DiskHome: HistoryHome {
    var migrations: [SettingsMigration]? = []
    private var disk = SimulatedDisk()
    private var watching = ManualFileWatching()
    private static let folder = FilePath("/home")
    private static let application = URL(filePath: "/home/settings.json")

    init() throws {
        try FileOperations(disk).makeFolder(Self.folder)
    }

    private func path(of name: DomainName) -> FilePath {
        Self.folder.appending(name.description.replacing(" ", with: "-") + ".json")
    }

    private func read(_ path: FilePath) -> [UInt8]? { SettingsPerson(path: path).contents(of: disk) }

    private func write(_ bytes: [UInt8], to path: FilePath) throws {
        try SettingsPerson(path: path).write(bytes, on: disk)
    }

    // MARK: The application

    func storage(_ values: SettingTree) throws -> any Storage {
        if read(FilePath(Self.application)) == nil {
            try write(FileFormat.json.encode(values), to: FilePath(Self.application))
        }
        watching = ManualFileWatching()
        return FileStorage(at: Self.application, calls: disk, watching: watching)
    }

    /// Edits the file, once it has all that is in the journal.
    func change(_ values: [SettingKey: SettingValue?]) throws {
        try edit { $0.apply(values) }
        watching.tell([.places])
    }

    /// As ``change(_:)``, by a person who first cuts the file off in the middle.
    func change(_ values: [SettingKey: SettingValue?], whileDamaged body: () throws -> Void) throws {
        try edit { _ in }
        let intact = try FileFormat.json.decode(read(FilePath(Self.application)) ?? [])
        try write(Array(#"{"count": "#.utf8), to: FilePath(Self.application))
        watching.tell([.places])
        try body()
        var tree = intact
        tree.apply(values)
        try write(FileFormat.json.encode(tree), to: FilePath(Self.application))
        watching.tell([.places])
    }

    /// Edits the file while no program has it open, or as ``change(_:)`` does.
    func edit(_ change: (inout SettingTree) -> Void) throws {
        let other = FileStorage(at: Self.application, calls: disk)
        let loaded = try other.load().tree
        _ = try other.checkpoint(loaded, for: .closing)
        other.close()
        var tree = try FileFormat.json.decode(read(FilePath(Self.application)) ?? [])
        change(&tree)
        try write(FileFormat.json.encode(tree), to: FilePath(Self.application))
    }

    func stored() throws -> SettingTree {
        let other = FileStorage(at: Self.application, calls: disk.diskAfterProcessCrash())
        defer { other.close() }
        var tree = try other.load().tree
        _ = MigrationRecord(takenFrom: &tree)
        return tree
    }

    // MARK: Other domains

    func source(of name: DomainName, _ values: SettingTree?) throws -> any DomainSource {
        if let values { try write(FileFormat.json.encode(values), to: path(of: name)) }
        guard name == .managed else {
            return UnwatchedSource(
                base: FileDomainSource(at: URL(filePath: path(of: name).text), calls: disk, watching: watching))
        }
        return UnwatchedSource(
            base: ManagedDomainSource("managed", in: Self.folder, trustedUser: nil, calls: disk, watching: watching))
    }

    func replace(_ name: DomainName, by values: SettingTree, in store: SettingsStore) async throws {
        try write(FileFormat.json.encode(values), to: path(of: name))
        try await tell(name, in: store)
    }

    /// Cuts a domain's file off in the middle.
    func damage(_ name: DomainName, in store: SettingsStore) async throws {
        try write(Array(#"{"count": "#.utf8), to: path(of: name))
        try await tell(name, in: store)
    }

    private func tell(_ name: DomainName, in store: SettingsStore) async throws {
        guard let domain = store.core.domains[name], let source = domain.source else { throw TestFailure() }
        store.core.deliver(await Result(loading: source), to: domain)
    }

    // MARK: Crashes

    /// The disk as it is now, without what the processes still do.
    func image() -> SimulatedDisk { disk.diskAfterProcessCrash() }

    func go(on image: SimulatedDisk) { disk = image }
}

/// A source that the test alone loads again, so that no load of the store's own comes between.
private struct UnwatchedSource: DomainSource {
    let base: any DomainSource

    var isRequired: Bool { base.isRequired }

    func load() async throws(StorageError) -> DomainContents { try await base.load() }

    func watch(_ changed: @escaping @Sendable () -> Void) {}

    func close() async { await base.close() }

    func place(of key: SettingKey) -> String { base.place(of: key) }
}
