import LiveServing
import Settle
import SettleTesting
import Testing

/// The page of settings on the service's own server.
@Suite(.timeLimit(.minutes(10))) struct PanelTests {
    /// A browser that has been let in.
    private func enter(_ service: TestService) async throws -> [(String, String)] {
        let link = service.makePanelLink()
        let secret = try #require(link.firstMatch(of: /link=([0-9a-f]+)/)).1
        #expect(try await service.send(.get(link)).status == 200)
        let entered = try await service.send(
            TestRequest(
                method: .post, path: "/settings/panel/enter", headers: [("Origin", Self.origin)],
                body: "link=\(secret)"))
        #expect(entered.status == 303)
        let cookie = try #require(entered.header("Set-Cookie"))
        #expect(cookie.contains("Path=/settings/panel;"))
        return [("Cookie", String(cookie.prefix { $0 != ";" })), ("Origin", Self.origin)]
    }

    /// The page's, which must be the host of the request.
    private static let origin = "http://127.0.0.1"

    @Test("A form changes the service also during maintenance") func submittedForm() async throws {
        try await TestService.with { service async throws in
            let headers = try await enter(service)
            service.settings.maintenance.isOn = true
            let page = try await service.send(
                TestRequest(path: "/settings/panel/pane?id=limits", headers: headers))
            let token = try #require(page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)).1
            let changed = try await service.send(
                TestRequest(
                    method: .post, path: "/settings/panel/set", headers: headers,
                    body: "key=limits.burst&value=7&form=\(token)"))
            #expect(changed.status == 303)
            #expect(service.settings.limits.burst == 7)
            let refused = try await service.send(
                TestRequest(
                    method: .post, path: "/settings/panel/set", headers: headers,
                    body: "key=limits.burst&value=0&form=\(token)"))
            #expect(refused.status == 422)
            #expect(service.settings.limits.burst == 7)
        }
    }

    @Test("A body that is too large gets the panel's own sentence") func largeBody() async throws {
        try await TestService.with { service async throws in
            let form = "key=limits.burst&value=" + String(repeating: "1", count: 1 << 20)
            let refused = try await service.send(
                TestRequest(
                    method: .post, path: "/settings/panel/set", headers: [("Origin", Self.origin)], body: form))
            #expect(refused.status == 413 && refused.text.contains("nothing was changed"))
        }
    }

    @Test("Nobody is let in without a link, and no line of the log has one") func nobodyWithoutLink() async throws {
        try await TestService.with { service async throws in
            let page = try await service.send(.get("/settings/panel/"))
            #expect(page.status == 401)
            #expect(!page.text.contains("burst"))
            let cookies = try await enter(service)
            #expect(cookies.count == 2)
            #expect(service.log.all.filter { $0.contains("link=") } == [])
        }
    }
}
