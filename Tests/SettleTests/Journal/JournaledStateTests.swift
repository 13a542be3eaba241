import SettleTesting
import Testing

@testable import Settle

/// What a journal says of state, and of the file in which it stands.
@Suite struct JournaledStateTests {
    private static let (old, new) = (FileVersion(hash: 1, size: 10), FileVersion(hash: 2, size: 20))
    private let tree = SettingTree(["a": .integer(2), "b": .integer(3)])

    /// The file had `a` as 1, and is about to become one that has everything.
    private var begun: StateFile {
        var file = StateFile()
        let mirrors = [
            JournalBase.Mirror(Self.old, [JournalEntry(key: "a", value: .integer(1))], isOfState: true),
            JournalBase.Mirror(Self.new, isOfState: true),
        ]
        file.add(JournalStateKeys(added: ["a"], mirrors: mirrors), at: 0, over: tree)
        return file
    }

    @Test("A look without the lock forgets none of the versions that the file may have") func looks() {
        for found in [Self.old, Self.new, nil] {
            var file = begun
            file.didFind(found, isCertain: false, over: tree)
            #expect(file.version(Self.old) != nil && file.version(Self.new) != nil)
            #expect(file.versions.last?.version == found ?? .absent)
            #expect(file.isBehind(tree), "Which of them is there is not certain.")
        }
        var file = begun
        file.didFind(Self.old, isCertain: true, over: tree)
        #expect(file.versions.map(\.version) == [Self.old] && file.isBehind(tree))
        file = begun
        file.didFind(Self.new, isCertain: true, over: tree)
        #expect(file.versions.map(\.version) == [Self.new] && !file.isBehind(tree))
        file = begun
        file.didFind(nil, isCertain: true, over: tree)
        // Somebody has removed it, and a loss of power may bring it back.
        #expect(file.versions.map(\.version) == [Self.old, Self.new, .absent] && file.isBehind(tree))
        let rest = SettingTree(["b": .integer(3)])
        file.didFind(nil, isCertain: true, over: rest)
        #expect(file.versions.isEmpty && !file.isBehind(rest))
    }

    @Test(
        "What is known of each version of both files is what a copy of it has",
        arguments: 1...200 as ClosedRange<UInt64>)
    func copies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys: [SettingKey] = ["a", "b", "g.x", "g.y", "g.h.z"]
        var (tree, state, number) = (SettingTree(), JournalState(), UInt64(0))
        var copies: [FileVersion: SettingTree] = [.absent: SettingTree()]
        func add(_ record: JournalRecord.Content) {
            state.add(record, at: Int(number), over: tree)
            for entry in record.batch?.entries ?? [] { tree[entry.key] = entry.value }
        }
        for _ in 0..<30 {
            number += 1
            let key = keys[Int(random.next() % 5)]
            let version = FileVersion(hash: number, size: number)
            switch random.next() % 8 {
            case 0: add(.state(JournalStateKeys(added: [random.next() % 4 == 0 ? "g.h" : key])))
            case 1: add(.state(JournalStateKeys(removed: [key])))
            case 2:
                copies[version] = state.stateFile.tree(of: tree)
                let mirrors = state.stateFile.versions.suffix(2) + [JournalState.Mirror(version: version)]
                add(.state(JournalStateKeys(mirrors: mirrors.map { JournalBase.Mirror($0, isOfState: true) })))
            case 3:
                copies[version] = state.stateFile.rest(of: tree)
                add(.mirroring(version))
            case 4:
                let whole = SettingValue.dictionary(["x": .integer(Int64(number)), "h": .dictionary(["z": .null])])
                add(.values(JournalBatch(revision: 1, entries: [JournalEntry(key: "g", value: whole)])))
            case 5: add(.values(JournalBatch(revision: 1, entries: [JournalEntry(key: key, value: nil)])))
            default:
                let value = SettingValue.integer(Int64(number))
                add(.values(JournalBatch(revision: 1, entries: [JournalEntry(key: key, value: value)])))
            }
            for mirror in state.mirrors {
                #expect(mirror.difference.mirror(of: tree) == copies[mirror.version], "step \(number)")
            }
            for mirror in state.stateFile.versions {
                let content = mirror.difference.mirror(of: state.stateFile.tree(of: tree))
                #expect(content == copies[mirror.version], "state, step \(number)")
            }
        }
    }
}
