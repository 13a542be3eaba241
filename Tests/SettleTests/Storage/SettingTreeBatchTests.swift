import Settle
import Testing

@Suite struct SettingTreeBatchTests {
    @Test("A batch with a dictionary and a key inside it applies both, in any order") func innerKeyWins() {
        for _ in 0..<20 {
            var tree = SettingTree(["g": .integer(0)])
            tree.apply(["g.x": .integer(2), "g": .dictionary(["x": .integer(1), "y": .integer(1)]), "h": nil])
            #expect(tree.root == ["g": .dictionary(["x": .integer(2), "y": .integer(1)])])
        }
    }
    @Test("A record of migrations is refused if it has an unknown one, or can't be read") func migrations() {
        let record = SettingValue.dictionary(["migrations": .array([.string("one"), .string("two")])])
        let trees: [(tree: SettingTree, known: [String], isRefused: Bool)] = [
            (SettingTree(["a": .integer(1)]), [], false),
            (SettingTree(["$settle": record]), ["two", "three", "one"], false),
            (SettingTree(["$settle": record]), ["two"], true),
            (SettingTree(["$settle": .integer(1)]), ["one"], true),
        ]
        for (tree, known, isRefused) in trees {
            var code: StorageError.Code?
            do throws(StorageError) { try tree.checkMigrations(within: known) } catch { code = error.code }
            let expected: StorageError.Code? = isRefused ? .migrated : nil
            #expect(code == expected, "\(tree), \(known)")
        }
    }
}
