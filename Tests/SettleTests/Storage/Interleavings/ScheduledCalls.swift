import Settle
import SettleTestSupport
import SettleTesting

/// The system calls of one process, each of which waits for its turn.
///
/// The lock of a journal that another process has is waited for: a storage's own attempts would be steps without end.
final class ScheduledCalls: SystemCalls {
    private let base: FaultySystemCalls
    private let scheduler: CallScheduler
    private let actor: Int
    private let isDead = LockedValue(false)
    private let isFree = LockedValue(false)
    /// The files that are written beside others. Nobody waits for their locks.
    private let temporaries = LockedValue<[FileDescriptor: String]>([:])
    private let foundChanges = LockedValue<[String]>([])
    /// What follows the calls, if anything does.
    let trace = LockedValue<ProtocolTrace?>(nil)

    init(_ disk: SimulatedDisk, of actor: Int, _ scheduler: CallScheduler) {
        base = FaultySystemCalls(disk)
        self.actor = actor
        self.scheduler = scheduler
    }

    /// Whether the process has been killed.
    var hasEnded: Bool { isDead.withLock { $0 } }

    /// The calls so far that have changed the disk or were to make something durable.
    var changes: [String] { foundChanges.withLock { $0 } }

    /// Kills the process: none of its calls does anything any more. To be called while another actor has its turn.
    func kill() {
        isDead.withLock { $0 = true }
        base.endProcess()
        trace.withLock { $0 }?.didEnd(actor)
        scheduler.didUnlock()
        scheduler.release(actor)
    }

    /// From now on no call waits: the schedule has ended.
    func goFree() { isFree.withLock { $0 = true } }

    private func step(isBlocked: Bool = false) throws(SystemError) {
        if hasEnded || scheduler.isEndless { throw .inputOutput }
        if isFree.withLock({ $0 }) { return }
        scheduler.step(actor, isBlocked: isBlocked)
        // It may have been killed while it waited.
        if hasEnded { throw .inputOutput }
    }

    private func call<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        try step()
        return try body()
    }

    /// The same for a call that changes something.
    private func change<Result>(
        _ name: String, _ event: ProtocolTrace.Event? = nil, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try step()
        let result = try body()
        foundChanges.withLock { $0.append(name) }
        if let event { observe(event) }
        return result
    }

    private func observe(_ event: ProtocolTrace.Event) { trace.withLock { $0 }?.observe(event, by: actor) }

    func lockFile(_ file: FileDescriptor) throws(SystemError) {
        try step()
        if temporaries.withLock({ $0[file] != nil }) { return try base.lockFile(file) }
        while true {
            do {
                try base.lockFile(file)
                return observe(.locked(file))
            } catch {
                guard error == .wouldBlock, !scheduler.isStuck else { throw error }
            }
            try step(isBlocked: true)
        }
    }

    func unlockFile(_ file: FileDescriptor) throws(SystemError) {
        try step()
        observe(.unlocking(file))
        try base.unlockFile(file)
        scheduler.didUnlock()
    }

    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        try step()
        let isMade =
            switch mode {
            case .createNew: true
            case .updateOrCreate: (try? base.status(at: path)) == nil
            case .read, .update, .folder: false
            }
        let file = try base.openFile(path, mode)
        if isMade { foundChanges.withLock { $0.append("create \(path)") } }
        if path.hasSuffix(".tmp") { temporaries.withLock { $0[file] = path } }
        return file
    }

    func openEntry(_ name: String, in folder: FileDescriptor, _ kind: EntryKind) throws(SystemError) -> FileDescriptor {
        try call { () throws(SystemError) in try base.openEntry(name, in: folder, kind) }
    }

    func readBytes(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try call { () throws(SystemError) in try base.readBytes(file, into: buffer) }
    }

    func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try call { () throws(SystemError) in try base.readBytes(file, at: offset, into: buffer) }
    }

    func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        try change("write", .written(file)) { () throws(SystemError) in
            try base.writeBytes(file, at: offset, from: buffer)
        }
    }

    func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try change("truncate") { () throws(SystemError) in try base.truncateFile(file, to: size) }
    }

    func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try change("sync", .synchronized(file)) { () throws(SystemError) in try base.synchronize(file) }
    }

    func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
        try change("sync", .synchronized(file)) { () throws(SystemError) in try base.synchronizeData(file) }
    }

    func status(at path: String) throws(SystemError) -> FileStatus {
        try call { () throws(SystemError) in try base.status(at: path) }
    }

    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        try change("chmod") { () throws(SystemError) in try base.setPermissions(at: path, to: permissions) }
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        temporaries.withLock { files in files = files.filter { $0.value != path } }
        try change("rename", .renamed(to: newPath)) { () throws(SystemError) in try base.renameFile(path, to: newPath) }
    }

    func exchangeFiles(_ path: String, _ other: String) throws(SystemError) {
        try change("exchange", .exchanged) { () throws(SystemError) in try base.exchangeFiles(path, other) }
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try change("link") { () throws(SystemError) in try base.linkFile(path, to: newPath) }
    }

    func removeFile(_ path: String) throws(SystemError) {
        try change("remove") { () throws(SystemError) in try base.removeFile(path) }
    }

    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try change("make a folder") { () throws(SystemError) in try base.makeFolder(path, permissions: permissions) }
    }

    func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        try call { () throws(SystemError) in try base.namesInFolder(path) }
    }

    // MARK: Calls that no other process can tell from the one before

    func closeFile(_ file: FileDescriptor) throws(SystemError) {
        if hasEnded { throw .inputOutput }
        observe(.unlocking(file))
        try base.closeFile(file)
        scheduler.didUnlock()
    }

    func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        if hasEnded { throw .inputOutput }
        return try base.status(of: file)
    }

    func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        if hasEnded { throw .inputOutput }
        return try base.setPermissions(of: file, to: permissions)
    }

    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        if hasEnded { throw .inputOutput }
        return try base.setOwner(of: file, toUser: user, group: group)
    }

    func linkTarget(_ path: String) throws(SystemError) -> String {
        if hasEnded { throw .inputOutput }
        return try base.linkTarget(path)
    }
}
