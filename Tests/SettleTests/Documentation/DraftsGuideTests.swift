import Foundation
import Settle
import Synchronization
import Testing

/// The guide “Drafts”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct DraftsGuideTests {
    struct PasscodeSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
    }

    struct AppSettings: SettingsGroup {
        @Setting(in: 0...20) var attemptCount = 0
        let passcode = PasscodeSettings()
    }

    @Test("A draft is applied") func applying() throws {
        let settings = AppSettings()
        let draft = settings.draft()
        draft.attemptCount += 1
        draft.passcode.isPasscodeEnabled = true
        try draft.apply(author: "form")
        #expect(settings.attemptCount == 1 && settings.passcode.isPasscodeEnabled)
    }

    @Test("Refused values are shown") func violations() throws {
        let shown = Mutex<[String]>([])
        func show(_ text: String, besideFieldOf key: String?) { shown.withLock { $0.append("\(key ?? ""): \(text)") } }
        let draft = AppSettings().draft()
        draft.attemptCount = 500
        for violation in draft.violations { show(violation.description, besideFieldOf: violation.key) }
        draft.attemptCount = 5
        #expect(shown.withLock { $0.count } == 1 && shown.withLock { $0[0].contains("attemptCount: “attemptCount”") })
        #expect(draft.violations.isEmpty)
    }

    @Test("Conflicts are decided one by one") func conflicts() throws {
        func keepsMine(_ conflict: DraftConflict) -> Bool { conflict.key == "attemptCount" }
        let settings = AppSettings()
        let draft = settings.draft()
        draft.attemptCount = 3
        draft.passcode.isPasscodeEnabled = true
        settings.attemptCount = 4
        do {
            try draft.apply()
            Issue.record("A conflict was not found.")
        } catch {
            guard error.code == .draftConflict else { throw error }
            for conflict in draft.conflicts where !keepsMine(conflict) { draft.revert(key: conflict.key) }
            try draft.apply(.overwriting)
        }
        #expect(settings.attemptCount == 3 && settings.passcode.isPasscodeEnabled)
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Settle/Settle.docc/Drafts.md").standardizedFileURL
        let guide = try String(contentsOf: page, encoding: .utf8)
        let tests = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let code = Set(tests.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count == 3)
        for line in blocks.joined().split(separator: "\n") {
            #expect(code.contains(line.trimmingCharacters(in: .whitespaces)), "The guide has: \(line)")
        }
    }
}
