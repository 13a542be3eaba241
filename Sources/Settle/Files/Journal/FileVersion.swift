/// Identifies a file's contents, so that the journal can recognize the file.
package struct FileVersion: Sendable, Hashable {
    package var hash: UInt64
    package var size: UInt64

    package init(hash: UInt64, size: UInt64) {
        self.hash = hash
        self.size = size
    }

    package init(of bytes: [UInt8]) {
        self.init(hash: bytes.withUnsafeBytes { ContentHash.value(ofFile: $0) }, size: UInt64(bytes.count))
    }

    /// No file exists. Its size is impossible, so it differs from every file, even an empty one.
    package static let absent = FileVersion(hash: 0, size: .max)
}
