/// Finds the lines of keys in a file, and reads it again only when it has changed: a listing asks for every key.
final class KeyLineCache: Sendable {
    /// Reads the values of a file, and their lines unless it is binary.
    typealias Reader = @Sendable ([UInt8]) throws(FormatError) -> (tree: SettingTree, lines: KeyLines?)

    /// A file as it was at the last check.
    struct Look: Sendable {
        fileprivate let path: FilePath
        fileprivate let signature: FileSignature
        /// The values in the file itself.
        let tree: SettingTree
        private let lines: KeyLines?

        fileprivate init(
            _ path: FilePath, _ signature: FileSignature, _ found: (tree: SettingTree, lines: KeyLines?)?
        ) {
            self.path = path
            self.signature = signature
            tree = found?.tree ?? SettingTree()
            lines = found?.lines
        }

        /// Returns for example `“/etc/app.json”, line 3`; without a line for a binary file, and for a key that the file
        /// does not have.
        func place(of key: SettingKey) -> String {
            lines?.line(of: key).map { "“\(path)”, line \($0)" } ?? "“\(path)”"
        }
    }

    private let operations: FileOperations
    private let read: Reader
    private let last = LockedValue<Look?>(nil)

    /// - Parameter read: By default reads a settings file in any format.
    init(
        _ operations: FileOperations,
        by read: @escaping Reader = { bytes throws(FormatError) in
            (try FileFormat.detect(bytes)?.decode(bytes) ?? SettingTree(), FileFormat.keyLines(in: bytes))
        }
    ) {
        self.operations = operations
        self.read = read
    }

    /// - Returns: `nil` if there is no such file, or it can't be read.
    func look(at path: FilePath) -> Look? {
        last.withLock { last in
            let now = wallTime(isExact: true)
            guard let status = try? operations.statusFollowingLinks(at: path) else { return nil }
            let signature = FileSignature(status)
            if let last, last.path == path, last.signature == signature { return last }
            guard let bytes = try? operations.contents(of: path) else { return nil }
            let look = Look(path, signature, try? read(bytes))
            // Otherwise a change within the same tick would go unnoticed.
            last = signature.isSettled(at: now) ? look : nil
            return look
        }
    }
}
