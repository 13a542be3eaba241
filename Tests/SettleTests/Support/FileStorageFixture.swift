import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// A folder of its own with a settings file in it, and system calls that can go wrong.
///
/// Syncs are recorded and not made: nothing here looks at a disk after a loss of power.
struct FileStorageFixture {
    let temporary: TemporaryFolder
    let calls: FaultySystemCalls
    let name: String

    init(_ name: String = "settings.json", mask: UInt16 = 0) throws {
        temporary = try TemporaryFolder()
        calls = FaultySystemCalls(mask: mask, synchronizes: false)
        self.name = name
    }

    var folder: URL { temporary.url }
    var file: URL { folder.appending(path: name) }

    func storage(format: FileFormat? = nil) -> FileStorage {
        FileStorage(at: file, format: format, calls: calls)
    }

    /// A storage that has loaded what is there, and has recorded no calls yet.
    func opened(format: FileFormat? = nil) throws -> FileStorage {
        let storage = storage(format: format)
        _ = try storage.load()
        calls.forget()
        return storage
    }

    /// What a process that starts now would find.
    func freshLoad() throws -> StorageContents {
        try FileStorage(at: file).load()
    }

    func write(_ text: String, to name: String? = nil) throws {
        try Data(text.utf8).write(to: folder.appending(path: name ?? self.name))
    }

    func text(of name: String? = nil) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name ?? self.name)), as: UTF8.self)
    }

    func permissions(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    /// The names in the folder, in order.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// The calls since the last `forget()`, with the random part of names left out.
    var callTexts: [String] {
        calls.calls.map { call in
            let text = call.description
            guard text.hasSuffix(".tmp"), let space = text.firstIndex(of: " ") else { return text }
            return text[..<space] + " temporary"
        }
    }
}

func batch(_ revision: UInt64, _ values: [SettingKey: SettingValue?]) -> StorageBatch {
    StorageBatch(revision: revision, values: values)
}

func intact(_ root: SettingValue.Entries) -> StorageContents {
    StorageContents(tree: SettingTree(root), outcome: .intact)
}
