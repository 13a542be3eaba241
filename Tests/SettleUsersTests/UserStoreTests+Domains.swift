import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle
@testable import SettleUsers

/// Domains of the user.
extension UserStoreTests {
    @Test("Host, suites, all programs and languages are the user's; arguments and variables are the process's")
    func domains() async throws {
        let home = try TestHome()
        let host = StandardLocation.hostFile(besides: URL(filePath: file(in: home).text))
        try home.write("{\"own\": 0}", to: file(in: home))
        try home.write("{\"host\": 1}", to: FilePath(host))
        try home.write("{\"suite\": 2}", to: path("other/settings.json", in: home))
        try home.write("{\"late\": 3}", to: path("late/settings.json", in: home))
        try home.write("{\"global\": 4}", to: path("settle/global.json", in: home))
        let store = try await open(
            home,
            [
                .arguments(["-count", "5"]), .environment(prefix: "T", variables: ["T_NAME": "variable"]), .host(),
                .application, .suite("other"), .global(), .language(), .registration,
            ])
        try await store.domains.addSuite("late")
        let settings = try await store.group(AppSettings.self)
        #expect(settings.count == 5 && settings.name == "variable")
        let values: [String: Int64] = ["host": 1, "suite": 2, "late": 3, "global": 4]
        for (key, value) in values {
            #expect(store.keys[key] == .integer(value), "\(key)")
        }
        #expect(store.core.languages.order == [])
        #expect(store.keys.explanation(forKey: "own").description.contains("\(file(in: home).quoted), line 1"))
        #expect(store.keys.explanation(forKey: "host").description.contains(host.lastPathComponent))
        try await store.close()
    }

    @Test("The user's preferred languages count, and not those of the process") func languages() async throws {
        let home = try TestHome()
        try home.write("{\"AppleLanguages\": [\"de\"]}", to: path("settle/global.json", in: home))
        let store = try await open(home, [.application, .global(), .language()])
        #expect(store.core.languages.order == ["de"])
        try await store.close()
    }

    @Test("A domain's file in the home that is a link is skipped with an issue that names it, and not written")
    func linkedDomains() async throws {
        let home = try TestHome()
        let target = home.root.appending("etc/global.json")
        try home.write("{\"global\": 4}", to: target, of: 0)
        try home.makeFolders(path("settle", in: home))
        try home.link(path("settle/global.json", in: home), to: target)
        try home.link(path("given.json", in: home), to: target)
        let store = try await open(
            home,
            [
                .application, .global(),
                .suite("given", at: URL(filePath: path("given.json", in: home).text)),
            ])
        var issues = store.issues.makeAsyncIterator()
        var found: Set<String> = []
        while found.count < 2, let issue = await issues.next() {
            #expect(issue.description.contains("symbolic link"))
            for name in ["settle/global.json", "given.json"] where issue.description.contains(name) {
                found.insert(name)
            }
        }
        #expect(store.keys["global"] == nil)
        let written = await error {
            try await store.domains[.global].update { try store.keys.setValue(.integer(1), forKey: "a") }
        }
        #expect(written?.description.contains("symbolic link") == true)
        #expect(try home.text(of: target) == "{\"global\": 4}")
        try await store.close()
    }
}
