/// Which content a file has: what the journal knows a file by.
package struct FileVersion: Sendable, Hashable {
    package var hash: UInt64
    package var size: UInt64

    package init(hash: UInt64, size: UInt64) {
        self.hash = hash
        self.size = size
    }

    package init(of bytes: [UInt8]) {
        self.init(hash: bytes.withUnsafeBytes { ContentHash.value(of: $0) }, size: UInt64(bytes.count))
    }

    /// There is no file. No file has this size, so that it differs from every file, the empty one too.
    package static let absent = FileVersion(hash: 0, size: .max)
}
