package import Settle
package import SettleTesting

/// Forwards system calls to the real ones, records them, and makes one of them fail, or all from one on.
package final class FaultySystemCalls: SystemCalls {
    package enum Fault: Sendable, Hashable {
        /// The call does nothing and throws; a close throws after closing.
        case error(SystemError)
        /// A read or write does half of what was requested, but at least one byte. Other calls succeed.
        case short
    }

    fileprivate struct State: Sendable {
        var calls: [SystemCall] = []
        var paths: [FileDescriptor: String] = [:]
        var fault: Fault?
        var faultyCalls = 0..<0
        var faultCount = 0
        var writtenBytes = 0
        var readBytes = 0
        var errors: [SystemCall.Kind: SystemError] = [:]
        var namedErrors: [String: SystemError] = [:]
        var actions: [SystemCall.Kind: @Sendable () -> Void] = [:]
    }

    let real: any SystemCalls
    let mask: UInt16
    private let synchronizes: Bool
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - mask: The permissions withheld from new files and folders, as by the process's umask.
    ///   - synchronizes: Whether syncs are forwarded. If not, they are only recorded, which makes tests faster.
    package init(_ real: any SystemCalls = POSIXSystemCalls(), mask: UInt16 = 0, synchronizes: Bool = true) {
        self.real = real
        self.mask = mask
        self.synchronizes = synchronizes
    }

    /// The calls since the start or since ``forget()``.
    package var calls: [SystemCall] {
        state.withLock { $0.calls }
    }

    /// How many bytes were written since the start or since ``forget()``.
    package var writtenBytes: Int {
        state.withLock { $0.writtenBytes }
    }

    /// How many bytes were read at an offset since the start or since ``forget()``.
    package var readBytes: Int {
        state.withLock { $0.readBytes }
    }

    /// How many calls have failed since the last ``fail(call:with:forGood:)``.
    package var faultCount: Int {
        state.withLock { $0.faultCount }
    }

    /// The files that are open.
    package var openFiles: [String] {
        state.withLock { $0.paths.values.sorted() }
    }

    /// Makes a call fail.
    ///
    /// - Parameters:
    ///   - number: Which call, counted from 0 and from now on.
    ///   - forGood: Whether all later calls fail too.
    package func fail(call number: Int, with fault: Fault, forGood: Bool) {
        state.withLock { state in
            let first = state.calls.count + number
            state.fault = fault
            state.faultyCalls = first..<(forGood ? Int.max : first + 1)
            state.faultCount = 0
        }
    }

    /// Makes all calls of one kind throw, as on a file system that lacks them.
    package func fail(every kind: SystemCall.Kind, with error: SystemError) {
        state.withLock { $0.errors[kind] = error }
    }

    /// Makes all calls that concern a file of a name throw, as where a disk can't be read.
    package func fail(everyCallAt name: String, with error: SystemError) {
        state.withLock { $0.namedErrors[name] = error }
    }

    /// Runs an action immediately before the next call of one kind, as another process might.
    package func beforeNext(_ kind: SystemCall.Kind, do action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[kind] = action }
    }

    /// Makes all calls succeed again.
    package func heal() {
        state.withLock { state in
            state.fault = nil
            state.errors = [:]
            state.namedErrors = [:]
        }
    }

    /// Forgets the calls so far.
    package func forget() {
        state.withLock { state in
            state.calls = []
            state.fault = nil
            state.writtenBytes = 0
            state.readBytes = 0
        }
    }

    /// Closes all open files, as the operating system does when the process ends. That releases their locks. Their
    /// descriptors are refused from then on: other code may have been given the same numbers.
    package func endProcess() {
        let files = state.withLock { state in
            defer { state.paths = [:] }
            return Array(state.paths.keys)
        }
        // The process has ended, so there is no caller to report an error to.
        for file in files { try? real.closeFile(file) }
    }

    package func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        try openFile(path, mode) { (mode) throws(SystemError) in try real.openFile(path, mode) }
    }

    /// - Parameter open: Opens the file by the mode that is left by the process's mask.
    func openFile(
        _ path: String, _ mode: OpenMode, _ open: (OpenMode) throws(SystemError) -> FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        let kind: SystemCall.Kind
        var masked = mode
        switch mode {
        case .read: kind = .open
        case .createNew(let permissions):
            kind = .create
            masked = .createNew(permissions: permissions & ~mask)
        case .update: kind = .update
        case .updateOrCreate(let permissions):
            kind = .update
            masked = .updateOrCreate(permissions: permissions & ~mask)
        case .folder: kind = .openFolder
        }
        try check(kind, path)
        let file = try open(masked)
        state.withLock { $0.paths[file] = path }
        return file
    }

    package func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        let path = FilePath(try path(of: folder)).appending(name).text
        try check(kind == .folder ? .openFolder : .open, path)
        let file = try real.openEntry(name, in: folder, kind)
        state.withLock { $0.paths[file] = path }
        return file
    }

    package func readBytes(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        guard try check(.read, path(of: file)) == .short else { return try real.readBytes(file, into: buffer) }
        return try real.readBytes(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<half(buffer.count)]))
    }

    package func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let isShort = try check(.read, path(of: file)) == .short
        let count = isShort ? half(buffer.count) : buffer.count
        let read = try real.readBytes(file, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        state.withLock { $0.readBytes += read }
        return read
    }

    package func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        let isShort = try check(.write, path(of: file)) == .short
        let count = isShort ? half(buffer.count) : buffer.count
        let written = try real.writeBytes(file, at: offset, from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        state.withLock { $0.writtenBytes += written }
        return written
    }

    package func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try check(.truncate, path(of: file))
        try real.truncateFile(file, to: size)
    }

    package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
        try check(.synchronizeData, path(of: file))
        if synchronizes { try real.synchronizeData(file) }
    }

    package func unlockFile(_ file: FileDescriptor) throws(SystemError) {
        try check(.unlock, path(of: file))
        try real.unlockFile(file)
    }

    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try check(.synchronize, path(of: file))
        if synchronizes { try real.synchronize(file) }
    }

    package func closeFile(_ file: FileDescriptor) throws(SystemError) {
        let path = try path(of: file)
        state.withLock { $0.paths[file] = nil }
        try real.closeFile(file)
        try check(.close, path)
    }

    package func lockFile(_ file: FileDescriptor) throws(SystemError) {
        try check(.lock, path(of: file))
        try real.lockFile(file)
    }

    package func lockHolder(of file: FileStatus.Identity) -> Int32? {
        real.lockHolder(of: file)
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try check(.status, path(of: file))
        return try real.status(of: file)
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        try check(.status, path)
        return try real.status(at: path)
    }

    package func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        try check(.setPermissions, path(of: file))
        try real.setPermissions(of: file, to: permissions)
    }

    package func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        try check(.setPermissions, path)
        try real.setPermissions(at: path, to: permissions)
    }

    package func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        try check(.setOwner, path(of: file))
        try real.setOwner(of: file, toUser: user, group: group)
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try check(.rename, newPath)
        try real.renameFile(path, to: newPath)
    }

    package func exchangeFiles(_ path: String, _ other: String) throws(SystemError) {
        try check(.exchange, other)
        try real.exchangeFiles(path, other)
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try check(.link, newPath)
        try real.linkFile(path, to: newPath)
    }

    package func removeFile(_ path: String) throws(SystemError) {
        try check(.remove, path)
        try real.removeFile(path)
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try check(.makeFolder, path)
        try real.makeFolder(path, permissions: permissions & ~mask)
    }

    package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        try check(.names, path)
        return try real.namesInFolder(path)
    }

    package func linkTarget(_ path: String) throws(SystemError) -> String {
        try check(.linkTarget, path)
        return try real.linkTarget(path)
    }

    @discardableResult
    func check(_ kind: SystemCall.Kind, _ path: String) throws(SystemError) -> Fault? {
        let (fault, action) = state.withLock { state in
            (state.fault(recording: SystemCall(kind: kind, path: path)), state.actions.removeValue(forKey: kind))
        }
        action?()
        if case .error(let error) = fault { throw error }
        return fault
    }

    func path(of file: FileDescriptor) throws(SystemError) -> String {
        guard let path = state.withLock({ $0.paths[file] }) else { throw .badDescriptor }
        return path
    }

    private func half(_ count: Int) -> Int {
        max(1, count / 2)
    }
}

extension FaultySystemCalls.State {
    fileprivate mutating func fault(recording call: SystemCall) -> FaultySystemCalls.Fault? {
        let number = calls.count
        calls.append(call)
        if let error = errors[call.kind] { return .error(error) }
        if !namedErrors.isEmpty, let name = call.path.split(separator: "/").last,
            let error = namedErrors[String(name)]
        {
            return .error(error)
        }
        guard let fault, faultyCalls.contains(number) else { return nil }
        faultCount += 1
        return fault
    }
}
