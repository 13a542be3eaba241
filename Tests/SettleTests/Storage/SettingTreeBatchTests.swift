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
}
