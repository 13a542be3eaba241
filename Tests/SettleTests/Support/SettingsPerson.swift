import Settle
import SettleTesting

/// Edits a settings file by hand, with an editor that syncs what it saves, and notes each edit in a comment.
struct SettingsPerson {
    let path: FilePath
    /// The file's values when it was last readable.
    private(set) var known = SettingTree()
    /// The comment of the last edit; `nil` if the file does not have to have it any more.
    private(set) var note: String?
    private var count = 0

    init(path: FilePath) { self.path = path }

    /// Whether the comment of the last edit is in the file.
    func findsNote(on disk: any SystemCalls) -> Bool {
        guard let note, let bytes = contents(of: disk) else { return true }
        return bytes.starts(with: note.utf8)
    }

    mutating func forgetNote() { note = nil }

    func contents(of disk: any SystemCalls) -> [UInt8]? {
        let operations = FileOperations(disk)
        guard let file = try? operations.open(path, .read) else { return nil }
        defer { try? operations.close(file, at: path) }
        return try? operations.readAll(file, at: path, limit: 1 << 20)
    }

    /// Changes some values, after repairing the file if it is broken.
    mutating func edit(_ values: [SettingKey: SettingValue?], on disk: any SystemCalls) throws {
        if let bytes = contents(of: disk), let tree = try? FileFormat.json.decode(bytes) { known = tree }
        known.apply(values)
        count += 1
        let note = "// \(count)\n"
        self.note = note
        try write(Array(note.utf8) + FileFormat.json.encode(known), on: disk)
    }

    mutating func breakFile(on disk: any SystemCalls) throws {
        note = nil
        if let bytes = contents(of: disk), let tree = try? FileFormat.json.decode(bytes) { known = tree }
        try write(Array("{ \"a\": ".utf8), on: disk)
    }

    /// Repairs a broken file.
    func mend(on disk: any SystemCalls) throws {
        try write(FileFormat.json.encode(known), on: disk)
    }

    /// The values as the file spells them.
    func spelled(_ tree: SettingTree) -> SettingTree? {
        try? FileFormat.json.decode(FileFormat.json.encode(tree))
    }

    /// Puts a copy in the file's place, or writes it over what is there.
    func put(_ bytes: [UInt8], on disk: any SystemCalls, isInPlace: Bool) throws {
        let operations = FileOperations(disk)
        guard isInPlace, let file = try? operations.open(path, .update) else { return try write(bytes, on: disk) }
        defer { try? operations.close(file, at: path) }
        try operations.write(bytes, to: file, at: path)
        try operations.truncate(file, at: path, to: bytes.count)
    }

    /// Replaces the file, as editors do.
    func write(_ bytes: [UInt8], on disk: any SystemCalls) throws {
        let operations = FileOperations(disk)
        let new = path.sibling(named: "edited~")
        let file = try operations.open(new, .createNew(permissions: 0o600))
        try operations.write(bytes, to: file, at: new)
        try operations.synchronize(file, at: new)
        try operations.close(file, at: new)
        try operations.rename(new, to: path)
        try operations.synchronizeFolder(path.folder)
    }
}
