package import Settle
import Synchronization

/// Calls on the bytes of open files.
extension SimulatedDisk {
    package func readBytes(
        _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = try withOpenFile(file) { (open, state) throws(SystemError) in
            let bytes = try Self.bytes(of: open, at: open.offset, count: buffer.count, in: state)
            open.offset += bytes.count
            return bytes
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func readBytes(
        _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = try withOpenFile(file) { (open, state) throws(SystemError) in
            try Self.bytes(of: open, at: Int(offset), count: buffer.count, in: state)
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    private static func bytes(
        of open: OpenFile, at offset: Int, count: Int, in state: State
    ) throws(SystemError) -> [UInt8] {
        guard let node = state.image.nodes[open.node] else { return [] }
        if node.isFolder { throw .isFolder }
        let start = min(offset, node.contents.count)
        return Array(node.contents[start..<min(start + count, node.contents.count)])
    }

    package func writeBytes(
        _ file: FileDescriptor, at offset: Int64, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int {
        let bytes = Array(buffer)
        return try withOpenFile(file) { (open, state) throws(SystemError) in
            try Self.write(bytes, to: open, at: Int(offset), &state)
        }
    }

    /// - Returns: The number of bytes that fit.
    private static func write(
        _ bytes: [UInt8], to open: OpenFile, at offset: Int, _ state: inout State
    ) throws(SystemError) -> Int {
        try checkWritable(open)
        let size = state.image.nodes[open.node]?.contents.count ?? 0
        // Bytes within the file's size take no additional capacity.
        let count = max(0, min(bytes.count, max(0, size - offset) + max(0, state.room - max(0, offset - size))))
        guard count > 0 || bytes.isEmpty else { throw .noSpace }
        state.announce(.write, state.path(of: open.node)) { [image = state.image] in
            [1, count / 2, count - 1].filter { 0 < $0 && $0 < count }.map { part in
                var image = image
                image.update(open.node) { $0.write(bytes[..<part], at: offset) }
                return image
            }
        }
        state.image.update(open.node) { $0.write(bytes[..<count], at: offset) }
        state.image.touch(open.node, isContents: true)
        return count
    }

    package func truncateFile(_ file: FileDescriptor, to size: Int64) throws(SystemError) {
        try withOpenFile(file) { (open, state) throws(SystemError) in
            try Self.checkWritable(open)
            let old = state.image.nodes[open.node]?.contents.count ?? 0
            guard Int(size) - old <= max(0, state.room) else { throw .noSpace }
            state.announce(.truncate, state.path(of: open.node))
            state.image.update(open.node) { $0.truncate(to: Int(size)) }
            state.image.touch(open.node, isContents: true)
        }
    }

    private static func checkWritable(_ open: OpenFile) throws(SystemError) {
        switch open.mode {
        case .createNew, .update, .updateOrCreate: break
        case .read, .folder: throw .badDescriptor
        }
    }

    package func synchronize(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { (open, state) throws(SystemError) in
            if state.failingSyncs > 0, state.image.nodes[open.node]?.isFolder == false {
                state.failingSyncs -= 1
                state.image.update(open.node) { $0.isPoisoned = true }
                throw .inputOutput
            }
            state.announce(.synchronize, state.path(of: open.node))
            state.image.synchronize(open.node)
        }
    }

    package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
        try synchronize(file)
    }
}
