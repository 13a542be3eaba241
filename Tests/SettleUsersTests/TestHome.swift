import Foundation
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import Settle
@testable import SettleUsers

struct AppSettings: SettingsGroup {
    @Setting(in: 0...100) var count = 1
    @Setting var name = "default"
    @Setting var isOn = false
}

/// The home folder of a user, between other folders, on the simulated disk or a real one.
final class TestHome: Sendable {
    enum Disk: CaseIterable { case simulated, real }

    /// With all rights, of which a test can take some away.
    let disk: FaultySystemCalls
    /// What is around the home.
    let root: FilePath
    let account: UserAccount
    /// Whether this process is another user, who can give files away: on the real disk only root.
    let canGiveAway: Bool
    private static let count = Atomic(0)
    private let simulated: SimulatedDisk?
    private let temporary: TemporaryFolder?

    init(_ kind: Disk = .simulated) throws {
        switch kind {
        case .simulated:
            let disk = SimulatedDisk()
            self.disk = FaultySystemCalls(disk)
            // Of its own: one process has one store for each path, so that tests beside it would share one.
            let path = "/disk-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
            (simulated, temporary, root) = (disk, nil, FilePath(path))
            disk.makeStableFolder(path)
        case .real:
            let temporary = try TemporaryFolder()
            disk = FaultySystemCalls(synchronizes: false)
            (simulated, self.temporary) = (nil, temporary)
            root = try FileOperations(POSIXSystemCalls()).resolve(FilePath(temporary.url)).resolved
        }
        try disk.makeFolder(root.appending("alice").text, permissions: 0o755)
        let own = try disk.status(at: root.appending("alice").text).owner
        canGiveAway = own.user == 0
        account = UserAccount(
            name: "alice", owner: canGiveAway ? .init(user: 12_345, group: 12_346) : own,
            home: root.appending("alice"))
    }

    var calls: UserSystemCalls { UserSystemCalls(disk, of: account) }
    var path: FilePath { account.home }

    /// A path below the home.
    func path(_ path: String) -> FilePath { self.path.appending(path) }

    func openHome() throws -> UserHome { try UserHome(of: account, calls: disk, watching: ManualFileWatching()) }

    // MARK: What others do

    /// Makes a file, and missing folders, of a user; by default of the user of the home.
    func write(_ text: String, to path: FilePath, of user: UInt32? = nil) throws {
        try makeFolders(path.folder, of: user)
        try? disk.removeFile(path.text)
        let operations = FileOperations(disk)
        let file = try operations.open(path, .createNew(permissions: 0o600))
        try operations.write(Array(text.utf8), to: file, at: path)
        try give(file, to: user)
    }

    func makeFolders(_ path: FilePath, of user: UInt32? = nil) throws {
        guard (try? disk.status(at: path.text)) == nil else { return }
        try makeFolders(path.folder, of: user)
        try disk.makeFolder(path.text, permissions: 0o700)
        try give(try disk.openFile(path.text, .folder), to: user)
    }

    private func give(_ file: FileDescriptor, to user: UInt32?) throws {
        if canGiveAway {
            try disk.setOwner(of: file, toUser: user ?? account.owner.user, group: user ?? account.owner.group)
        }
        try disk.closeFile(file)
    }

    /// Puts a link in the place of what is there.
    func link(_ path: FilePath, to target: FilePath) throws {
        if (try? disk.status(at: path.text)) != nil { try moveAway(path) }
        if let simulated {
            try simulated.makeSymbolicLink(path.text, to: target.text)
        } else {
            try FileManager.default.createSymbolicLink(atPath: path.text, withDestinationPath: target.text)
        }
    }

    /// Renames what is there.
    func moveAway(_ path: FilePath) throws {
        try disk.renameFile(path.text, to: path.sibling(named: "moved away \(UInt64.random(in: 0 ... .max))").text)
    }

    func text(of path: FilePath) throws -> String {
        let bytes = try FileOperations(disk).contents(of: path)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything around the home and in it, with its owner; links are not followed. What others remove meanwhile is
    /// left out.
    func everything(in folder: FilePath? = nil) throws -> [String: FileStatus] {
        let folder = folder ?? root
        var found: [String: FileStatus] = [:]
        let names = try ifThere { () throws(SystemError) in try disk.namesInFolder(folder.text) }
        for name in names ?? [] {
            let path = folder.appending(name)
            let status = try ifThere { () throws(SystemError) in try disk.status(at: path.text) }
            guard let status else { continue }
            found[path.text] = status
            if status.kind == .folder { found.merge(try everything(in: path)) { $1 } }
        }
        return found
    }

    private func ifThere<Result>(_ look: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try look()
        } catch {
            guard error == .notFound else { throw error }
            return nil
        }
    }

    /// Expects that nothing outside of the home has been made or changed since a look, and that the user owns all that
    /// is in it.
    func expectNothingOutside(
        than before: [String: FileStatus], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (inside, outside) = (path.text + "/", try everything().filter { !$0.key.hasPrefix(path.text) })
        #expect(
            outside == before.filter { !$0.key.hasPrefix(path.text) }, "something outside of the home has changed",
            sourceLocation: sourceLocation)
        for (path, status) in try everything() where path.hasPrefix(inside) && status.kind != .symbolicLink {
            #expect(status.owner == account.owner, "\(path)", sourceLocation: sourceLocation)
        }
    }
}
