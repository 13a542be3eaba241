import Foundation
import SettleTestSupport
import Testing

@testable import Settle

/// Values as bytes, which storages of users have: `bytes` of a released version are read for ever.
@Suite struct ReleasedValuesTests {
    private static let area = "values"
    private static let fixtures = FormatFixture.all(area)
    private static let name = "tree.bin"

    /// A value of each kind.
    private static let every: SettingTree = {
        var tree = FileFixture.every
        tree["numbers"] = .array([
            .number("123456789012345678901234567890"), .real(.infinity), .real(-0.0), .integer(.min),
            .date(Date(timeIntervalSinceReferenceDate: -0.5)),
        ])
        return tree
    }()

    @Test("The bytes of all released versions are there, as they were written") func present() throws {
        #expect(try FormatFixture.differences(Self.area) == [])
        #expect(!Self.fixtures.isEmpty)
    }

    @Test("They are read to the same values, and these are written again", arguments: fixtures)
    func read(_ fixture: FormatFixture) throws {
        let tree = try SettingTree(bytes: fixture.bytes(of: Self.name))
        let typed = try SettingTree(["tree": SettingValue.dictionary(tree.root).typed]).reread()
        #expect(try typed == fixture.expected(), "\(typed.jsonText)")
        #expect(try SettingTree(bytes: tree.bytes) == tree)
    }

    @Test("A new version writes its bytes", .enabled(if: FormatFixture.target != nil)) func writeFixtures() throws {
        try FormatFixture.beginWriting(Self.area)
        let typed = SettingTree(["tree": SettingValue.dictionary(Self.every.root).typed])
        try FormatFixture.write("bytes", in: Self.area, [Self.name: Data(Self.every.bytes)], expected: typed)
        try FormatFixture.endWriting(Self.area)
    }
}
