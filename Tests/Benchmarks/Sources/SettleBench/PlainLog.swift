import Foundation

/// A file that bytes are appended to, and nothing else: the limit of a journal.
final class PlainLog: @unchecked Sendable {
    // Sendable: only one thread uses it at a time, and a hand-over waits until the last use is done.
    let url: URL
    private let file: CInt
    private var end = 0
    private var sum: UInt64 = 0

    /// - Parameter preallocated: The number of zeros that the file already has on stable storage.
    init(in folder: URL, preallocated: Int = 0) throws {
        url = folder.appending(path: "log-\(UUID().uuidString)")
        file = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        guard preallocated > 0 else { return }
        let zeros = [UInt8](repeating: 0, count: preallocated)
        guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    deinit {
        close(file)
    }

    func append(_ bytes: [UInt8]) {
        guard pwrite(file, bytes, bytes.count, off_t(end)) == bytes.count else { return failed("write") }
        end += bytes.count
    }

    /// The same with a checksum of the bytes, which changes them for the next append.
    func appendWithChecksum(_ bytes: inout [UInt8]) {
        let checksum = bytes.withUnsafeBytes { bytes in
            var hash = sum
            for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
                hash = product.high ^ product.low
            }
            return hash
        }
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: checksum, as: UInt64.self) }
        sum = checksum
        append(bytes)
    }

    func synchronize() {
        #if canImport(Darwin)
            let result = fcntl(file, F_FULLFSYNC)
        #else
            let result = fdatasync(file)
        #endif
        if result != 0 { failed("sync") }
    }

    func clear() {
        if ftruncate(file, 0) != 0 { failed("truncate") }
        end = 0
    }

    /// A limit that fails would look fast.
    private func failed(_ action: String) {
        preconditionFailure("The limit's file can't \(action): error \(errno).")
    }
}
