import Foundation
import Settle
import SettleInterchange
import Testing

@testable import fleet

/// What `fleet set`, `unset` and `import` show and check before they write.
@Suite struct WritePlanTests {
    private let stored = SettingTree([
        "limits": .dictionary(["burst": .integer(20), "requests": .integer(500)]), "name": .string("a"),
    ])

    private func plan(_ assignments: String..., rules: WritePlan.Rules = .shapes) throws -> WritePlan {
        let new = try assignments.reduce(into: stored) { tree, argument in
            let assignment = try #require(Assignment(argument))
            tree[assignment.key] = assignment.value
        }
        return WritePlan(from: stored, to: new, rules)
    }

    @Test("Only the differences are shown sorted by key") func differences() throws {
        let plan = try plan("name=a", "limits.requests=600", "limits.burst=", "added.deep=[1]")
        #expect(
            plan.changes.list.map { "\($0)" }
                == ["added.deep: nothing → [1]", "limits.burst: 20 → nothing", "limits.requests: 500 → 600"])
        #expect(plan.problems.isEmpty)
    }

    @Test("A value does not replace a group") func valueOverGroup() throws {
        let plan = try plan("limits=3")
        #expect(
            plan.problems == [
                "“limits” has values within it, and 3 would replace them: limits.burst, limits.requests."
            ])
        #expect(try self.plan("limits=3", rules: .none).problems.isEmpty)
        #expect(try self.plan("limits=").problems.isEmpty)
        #expect(try self.plan(#"limits={"burst":1}"#).problems.isEmpty)
    }

    @Test("A schema refuses with the key and the rule") func refusedBySchema() throws {
        let json = #"{"properties": {"limits": {"properties": {"requests": {"type": "integer", "maximum": 10000}}}}}"#
        let rules = WritePlan.Rules.schema(try StoredSchema(SettingValue(json: Data(json.utf8))))
        #expect(try plan("limits.requests=10000", rules: rules).problems.isEmpty)
        #expect(
            try plan("limits.requests=10001", rules: rules).problems
                == ["“limits.requests” can't be 10001: it must be at most 10000."])
        #expect(
            try plan("limits=3", rules: rules).problems
                == ["“limits” is a group of settings, and 3 would replace all of them."])
        #expect(try plan("limits.reqests=3", rules: rules).problems.count == 1)
        // A value that is stored already is not written.
        #expect(try plan("name=a", rules: rules).problems.isEmpty)
    }

    @Test("An assignment is JSON or a text") func assignedText() throws {
        #expect(Assignment("a.b=1") == Assignment(key: "a.b", value: .integer(1)))
        #expect(Assignment("a=b=c") == Assignment(key: "a", value: .string("b=c")))
        #expect(Assignment("a=") == Assignment(key: "a", value: nil))
        for wrong in ["", "a", "=1"] { #expect(Assignment(wrong) == nil, "\(wrong)") }
    }
}
