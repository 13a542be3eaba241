import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import SettleTesting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A browser at a panel: it keeps cookies, sends what browsers send, and fills in forms.
final class PanelBrowser: Sendable {
    private let answer: @Sendable (WebRequest) async -> WebResponse
    private let makeLink: @Sendable () -> String
    private let cookies = Mutex<[String: String]>([:])
    private let base = "http://localhost:8080"

    init(_ panel: SettingsPanel) {
        (answer, makeLink) = ({ await panel.respond(to: $0) }, { panel.makeLink() })
    }

    init(_ directory: PanelDirectory) {
        (answer, makeLink) = ({ await directory.respond(to: $0) }, { directory.makeLink() })
    }

    /// A page with its status.
    struct Answer: Sendable {
        let response: WebResponse

        var status: Int { response.status }

        var text: String {
            if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        }

        func field(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }

        /// The hidden and typed fields of the form of a key, with what they have.
        func form(of key: String) -> [(String, String)] {
            guard let start = text.firstRange(of: "data-key=\"\(key)\"")?.upperBound else { return [] }
            let form = text[start...].prefix(while: { _ in true })
            let end = form.firstRange(of: "</form>")?.lowerBound ?? form.endIndex
            return form[..<end].matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
                .map { (String($0.1), Self.unescaped(String($0.2))) }
        }

        /// What a choice of that name sends.
        func choice(_ title: String, of key: String) -> String {
            guard let start = text.firstRange(of: "data-key=\"\(key)\"")?.upperBound else { return "" }
            let form = text[start...]
            let end = form.firstRange(of: "</form>")?.lowerBound ?? form.endIndex
            return form[..<end].matches(of: /value="([^"]*)"[^>]*>(?:<span>)?([^<]*)</)
                .first { $0.2 == title }.map { String($0.1) } ?? ""
        }

        private static func unescaped(_ text: String) -> String {
            text.replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&#39;", with: "'")
                .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }
    }

    func get(_ target: String, _ headers: [(name: String, value: String)] = []) async -> Answer {
        await send("GET", target, headers, [])
    }

    /// Sends a form from a page of the panel.
    func post(
        _ target: String, _ fields: [(String, String)],
        _ headers: [(name: String, value: String)] = [("Origin", "http://localhost:8080")]
    ) async -> Answer {
        let body = fields.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        return await send("POST", target, headers, Array(body.utf8))
    }

    /// Looks at a page, changes the form of a key, and sends it.
    func change(
        _ key: String, _ fields: [(String, String)], on page: String = "/", asScript: Bool = false
    ) async -> Answer {
        let form = await get(page).form(of: key)
        let headers = [("Origin", "http://localhost:8080")] + (asScript ? [("X-Settle-Fragment", "1")] : [])
        return await post("/set", form + fields, headers.map { (name: $0.0, value: $0.1) })
    }

    /// Follows a link, by default a new one of the panel, and presses the button.
    func enter(_ link: String? = nil) async -> Answer {
        let link = link ?? makeLink()
        _ = await get(link)
        return await post("/enter", [("link", String(link.split(separator: "=").last ?? ""))])
    }

    /// Presses the button of a form that has no key, such as the one that ends a session.
    func press(_ target: String, on page: String, _ fields: [(String, String)] = []) async -> Answer {
        let token = await get(page).text.firstMatch(of: /name="form" value="([^"]*)"/).map { String($0.1) } ?? ""
        return await post(target, fields + [("form", token)])
    }

    func send(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)], _ body: [UInt8]
    ) async -> Answer {
        var headers = headers
        if !headers.contains(where: { $0.name == "Host" }) { headers.append(("Host", "localhost:8080")) }
        let own = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        if !own.isEmpty { headers.append(("Cookie", own)) }
        let request = WebRequest(method: method, target: target, headers: headers, body: body)
        let response = await answer(request)
        for (name, value) in response.headers where name == "Set-Cookie" {
            let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies.withLock { $0[String(pair[0])] = pair.count == 2 ? String(pair[1]) : "" }
        }
        return Answer(response: response)
    }

    func forgetCookies() { cookies.withLock { $0 = [:] } }

    var cookie: String? { cookies.withLock { $0.values.first } }

    /// What the cookie is called that the panel has given.
    var cookieName: String? { cookies.withLock { $0.keys.first } }

    func setCookie(_ value: String, named name: String? = nil) {
        cookies.withLock { if let name = name ?? $0.keys.first { $0[name] = value } }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}

/// Not cryptographic: what counts here is who checks it.
struct TestAuthentication: MessageAuthentication {
    func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var hash: [UInt64] = [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4]
        for byte in key + message {
            for index in hash.indices {
                hash[index] = (hash[index] ^ UInt64(byte)) &* (0x100_0000_01b3 + UInt64(index) * 2)
            }
        }
        return hash.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
}

/// A program with a panel.
struct PanelProgram {
    struct Limits: SettingsGroup {
        @Setting(in: 0...20, title: "Most attempts", help: "How often.", unit: "times") var count = 3
        @Setting var isEnabled = true
        @Setting(in: 0.0...1.0) var volume = 0.5
        @Setting var name = "x"
        @Setting var nick: String?
        @Setting var level = Level.info
        @Setting var since = Date(timeIntervalSince1970: 1_700_000_000)
        @Setting var timeout = Duration.seconds(30)
        @Setting var data = Data([1, 2, 3])
        @Setting var tags: [String] = []
        @Setting var ports: [String: Int] = [:]
        @Setting var token = Secret("hunter2")
    }

    enum Level: String, Codable, Sendable, CaseIterable { case debug, info, error }

    struct Owned: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var attempts = 7
    }

    struct App: SettingsGroup {
        let limits = Limits()
        let owned = Owned()
    }

    let folder: TemporaryFolder
    let store: SettingsStore
    let app: App
    let panel: SettingsPanel
    let browser: PanelBrowser
    let time = TestTime()
    /// Of the heartbeats.
    let clock = ManualClock()

    init(
        managed: SettingTree = SettingTree(), overrides: SettingTree = SettingTree(),
        access: SettingsPanel.Configuration.Access = .everyone, history: HistoryPolicy = .keep(transactions: 100),
        configure: (inout SettingsPanel.Configuration) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"),
            searching: [
                .source(.managed, ManualDomainSource(DomainContents(managed)), locksKeys: true),
                .source("boss", ManualDomainSource(DomainContents(overrides))), .application,
            ],
            configuration: .init(history: history))
        app = try await store.group(App.self)
        var configuration = SettingsPanel.Configuration(title: "Test", access: access)
        configuration.now = { [time] in time.now }
        configuration.sleep = { [clock] in try await clock.sleep(for: $0) }
        configure(&configuration)
        panel = SettingsPanel(store, groups: App.self, configuration: configuration)
        browser = PanelBrowser(panel)
    }
}

/// A clock that stands until it is moved.
final class TestTime: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock(\.self) }

    func pass(_ seconds: Double) { date.withLock { $0 += seconds } }
}
