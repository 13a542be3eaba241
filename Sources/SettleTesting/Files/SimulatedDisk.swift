package import Settle
import Synchronization

/// System calls on a disk in memory whose power can fail.
package final class SimulatedDisk: SystemCalls {
    private struct OpenFile: Sendable {
        var node: Int
        var offset = 0
        var isLocked = false
    }

    private struct State: Sendable {
        var image: DiskImage
        var openFiles: [FileDescriptor: OpenFile] = [:]
        var nextDescriptor: Int32 = 100
    }

    private let state: Mutex<State>

    /// An empty disk with nothing but its root folder.
    package convenience init() {
        self.init(DiskImage())
    }

    init(_ image: DiskImage) {
        state = Mutex(State(image: image))
    }

    /// Every disk that might be found after a loss of power at this moment.
    package func disksAfterLossOfPower() -> [SimulatedDisk] {
        let image = state.withLock { $0.image }
        return (0...image.unsyncedChangeCount).flatMap { count in
            DiskImage.Loss.allCases.map { loss in
                SimulatedDisk(image.afterLossOfPower(survivingChanges: count, loss: loss))
            }
        }
    }

    /// Makes the unsynced bytes of all files unable to reach the disk ever, although later syncs report success: what
    /// a failed sync leaves behind.
    package func poisonUnsyncedFiles() {
        state.withLock { state in
            for (number, node) in state.image.nodes where node.contents != node.survivingContents {
                state.image.update(number) { $0.isPoisoned = true }
            }
        }
    }

    package func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        try state.withLock { (state) throws(SystemError) in
            let node: Int
            switch mode {
            case .read, .update, .folder: node = try state.image.node(at: path)
            case .createNew(let permissions):
                node = try state.image.add(DiskImage.Node(isFolder: false, permissions: permissions), at: path)
            case .updateOrCreate(let permissions):
                if let existing = try? state.image.node(at: path) {
                    node = existing
                } else {
                    node = try state.image.add(DiskImage.Node(isFolder: false, permissions: permissions), at: path)
                }
            }
            state.nextDescriptor += 1
            let file = FileDescriptor(state.nextDescriptor)
            state.openFiles[file] = OpenFile(node: node)
            return file
        }
    }

    package func readBytes(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = try withOpenFile(file) { open, image in
            let bytes = (image.nodes[open.node]?.contents ?? []).dropFirst(open.offset).prefix(buffer.count)
            open.offset += bytes.count
            return Array(bytes)
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func writeBytes(_ file: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let bytes = Array(buffer)
        try withOpenFile(file) { open, image in
            image.update(open.node) { $0.contents += bytes }
        }
        return bytes.count
    }

    package func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = try withOpenFile(file) { open, image in
            Array((image.nodes[open.node]?.contents ?? []).dropFirst(Int(offset)).prefix(buffer.count))
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = Array(buffer)
        try withOpenFile(file) { open, image in
            image.update(open.node) { node in
                let start = Int(offset)
                let end = start + bytes.count
                if node.contents.count < end {
                    node.contents += [UInt8](repeating: 0, count: end - node.contents.count)
                }
                node.contents.replaceSubrange(start..<end, with: bytes)
            }
        }
        return bytes.count
    }

    package func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try withOpenFile(file) { open, image in
            image.update(open.node) { node in
                let zeros = [UInt8](repeating: 0, count: max(0, Int(size) - node.contents.count))
                node.contents = Array((node.contents + zeros).prefix(Int(size)))
            }
        }
    }

    package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
        try synchronize(file)
    }

    package func unlockFile(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { open, _ in open.isLocked = false }
    }

    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { open, image in image.synchronize(open.node) }
    }

    package func closeFile(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { _, _ in }
        state.withLock { $0.openFiles[file] = nil }
    }

    package func lockFile(_ file: FileDescriptor) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            guard let open = state.openFiles[file] else { throw .invalidArgument }
            let isTaken = state.openFiles.contains { $0.key != file && $0.value.node == open.node && $0.value.isLocked }
            if isTaken { throw .wouldBlock }
            state.openFiles[file]?.isLocked = true
        }
    }

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try withOpenFile(file) { open, image in Self.status(open.node, in: image) }
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in
            Self.status(try state.image.node(at: path), in: state.image)
        }
    }

    package func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        try withOpenFile(file) { open, image in image.update(open.node) { $0.permissions = permissions } }
    }

    package func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        try change { (image) throws(SystemError) in
            image.update(try image.node(at: path)) { $0.permissions = permissions }
        }
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try change { (image) throws(SystemError) in try image.rename(path, to: newPath) }
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try change { (image) throws(SystemError) in try image.link(path, to: newPath) }
    }

    package func removeFile(_ path: String) throws(SystemError) {
        try change { (image) throws(SystemError) in try image.remove(path) }
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try change { (image) throws(SystemError) in
            _ = try image.add(DiskImage.Node(isFolder: true, permissions: permissions), at: path)
        }
    }

    package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        try state.withLock { (state) throws(SystemError) in
            Array(state.image.entries(of: try state.image.node(at: path)).keys)
        }
    }

    /// There are no symbolic links on this disk.
    package func linkTarget(_ path: String) throws(SystemError) -> String {
        _ = try status(at: path)
        throw .invalidArgument
    }

    private func change(_ body: (inout DiskImage) throws(SystemError) -> Void) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in try body(&state.image) }
    }

    @discardableResult
    private func withOpenFile<Result: Sendable>(
        _ file: FileDescriptor, _ body: (inout OpenFile, inout DiskImage) -> Result
    ) throws(SystemError) -> Result {
        try state.withLock { (state) throws(SystemError) in
            guard var open = state.openFiles[file] else { throw .invalidArgument }
            let result = body(&open, &state.image)
            state.openFiles[file] = open
            return result
        }
    }

    private static func status(_ number: Int, in image: DiskImage) -> FileStatus {
        let node = image.nodes[number]
        return FileStatus(
            kind: node?.isFolder == true ? .folder : .file,
            size: Int64(node?.contents.count ?? 0),
            permissions: node?.permissions ?? 0,
            identity: FileStatus.Identity(device: 1, file: UInt64(number)))
    }
}
