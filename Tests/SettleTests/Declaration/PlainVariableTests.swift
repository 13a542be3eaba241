import Settle
import SettleTesting
import Testing

@propertyWrapper private struct Plain: Sendable {
    var wrappedValue: Int
}

private struct ForgetfulGroup: SettingsGroup {
    @Setting var count = 0
    var width = 600
    var names: [String] = []
    var _cache = 0
    @Plain var wrapped = 1
    let id = "a"
    let action: @Sendable () -> Void = {}
    var inner = ForgetfulInner()
    var computed: Int { width }
    static let shared = 1
}

private struct ForgetfulInner: SettingsGroup {
    @Setting var title = ""
    var isShown = false
}

/// Variables of a group that are not settings.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct PlainVariableTests {
    @Test("A variable without @Setting is reported when the group is opened, once in a store")
    func reported() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(unheardIssueHandler: { _ in }))
        let issues = ChangeRecorder(store.issues)
        for path in ["", "a", "b"] { _ = try await store.group(ForgetfulGroup.self, at: path) }
        _ = try await store.group(ForgetfulInner.self, at: "c")
        try await store.close()
        let seen = await issues.untilEnd()
        #expect(seen.allSatisfy { $0.code == .notASetting })
        #expect(
            seen.map { $0.description.prefix { $0 != " " } }
                == [
                    "ForgetfulGroup.width", "ForgetfulGroup.names", "ForgetfulInner.isShown", "ForgetfulGroup.inner",
                ])
        #expect(
            seen.last?.description
                == "ForgetfulGroup.inner is a group in a variable: a group assigned to it later would never be saved. "
                + "Declare it with `let`.")
        #expect(
            seen.first?.description
                == "ForgetfulGroup.width is never saved: it is a variable, but not a setting. Write `@Setting var width`, or "
                + "`let` for a constant. If it is not to be saved, give it a name such as `_width`.")
    }
}
