import Foundation
import SettleTestSupport

@testable import Settle

/// The findings of a program that opens a settings file. Neither sentences, which later versions may write in other
/// words, nor what is made at random are in it.
enum FileObservation {
    /// Returns what is found in a folder.
    ///
    /// - Parameters:
    ///   - name: The name of the settings file.
    ///   - tokens: Those that programs have saved.
    static func tree(of name: String, in folder: URL, after tokens: [ChangeToken]) throws -> SettingTree {
        let file = folder.appending(path: name)
        let storage = FileStorage(at: file, calls: FaultySystemCalls(synchronizes: false))
        defer { storage.close() }
        var found = SettingTree()
        let contents: StorageContents
        do {
            contents = try storage.load()
        } catch {
            found.root["error"] = .string(error.code.description)
            found.root["files"] = files(in: error.description, about: name)
            return found
        }
        let (kind, description) = outcome(contents.outcome)
        found.root["outcome"] = .string(kind)
        if let description { found.root["files"] = files(in: description, about: name) }
        found.root["values"] = SettingValue.dictionary(contents.tree.root).typed
        found.root["state"] = .bool(storage.hasState)
        if let token = contents.token { found.root["position"] = .integer(Int64(token.position)) }
        found.root["history"] = try storage.records(before: nil, limit: 1_000).typed
        var resumed = SettingTree()
        for token in tokens {
            resumed.root[token.description] = try storage.records(after: token, limit: 1_000)?.typed ?? .null
        }
        if !tokens.isEmpty { found.root["resumed"] = .dictionary(resumed.root) }
        let lastGood = lastGoodValues(of: contents.tree, in: storage)
        if !lastGood.isEmpty { found.root["lastGood"] = .dictionary(lastGood) }
        if let record = MigrationRecord(in: contents.tree).unconfirmed {
            found.root["unconfirmed"] = unconfirmed(record)
        }
        return found
    }

    private static func outcome(_ outcome: StorageContents.Outcome) -> (String, description: String?) {
        switch outcome {
        case .absent: ("absent", nil)
        case .intact: ("intact", nil)
        case .recovered(let description, isComplete: true): ("recovered", description)
        case .recovered(let description, isComplete: false): ("recovered in part", description)
        case .removed(let description): ("removed", description)
        }
    }

    /// The names of the files that a report names.
    private static func files(in description: String, about name: String) -> SettingValue {
        let names = FileNames(FilePath("/\(name)"))
        let named = [names.file, names.state, names.journal].map(\.name).filter { description.contains("/\($0)”") }
        return .array(named.map { .string($0) })
    }

    /// The values in force where the stored ones can't be used, as a program that can't use any would be given them.
    private static func lastGoodValues(of tree: SettingTree, in storage: FileStorage) -> SettingValue.Entries {
        var found: SettingValue.Entries = [:]
        for key in tree.leafKeys {
            let values = storage.keptValues(forKey: key, insteadOf: tree[key])
            if !values.isEmpty { found[key.description] = .array(values.map(\.typed)) }
        }
        return found
    }

    private static func unconfirmed(_ record: SettingValue) -> SettingValue {
        guard let commit = UnconfirmedCommit(record) else { return .string("It can't be read.") }
        var changes: SettingValue.Entries = [:]
        for change in commit.changes {
            changes[change.key.description] = .array([
                change.oldValue?.typed ?? .string("none"), change.newValue?.typed ?? .string("none"),
            ])
        }
        return .dictionary([
            "author": .text(commit.author), "changes": .dictionary(changes),
            "seconds": SettingValue.real(commit.length.inSeconds).typed, "time": SettingValue.real(commit.time).typed,
        ])
    }
}
