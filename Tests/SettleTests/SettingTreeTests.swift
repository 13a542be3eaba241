import Settle
import Testing

@Suite struct SettingTreeTests {
    @Test("A dotted key nests") func dottedKeyNests() {
        var tree = SettingTree()
        tree["passcode.attemptCount"] = .integer(3)
        #expect(tree.root == ["passcode": .dictionary(["attemptCount": .integer(3)])])
        #expect(tree["passcode.attemptCount"] == .integer(3))
        tree["passcode.attemptCount"] = nil
        #expect(tree.root.isEmpty)
    }
}
