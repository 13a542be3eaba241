import Settle
import SettleHTTP
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A program with an API, and three clients: alice, who may do everything, bob, who may only read, and carol, who has
/// only the limits.
struct APIProgram {
    struct Limits: SettingsGroup {
        @Setting(in: 1...100_000) var perSecond = 1000
        @Setting(in: 1...100_000) var burst = 1000
        @Setting var ports: [String: Int] = [:]
        @Setting var nick: String?
    }

    struct Admin: SettingsGroup {
        @Setting var tokens = Secret([
            "alice": APIToken("alice-0123456789abcdef"),
            "bob": APIToken("bob-0123456789abcdef", access: .read),
            "carol": APIToken("carol-0123456789abcdef", keys: ["limits"]),
        ])
        @Setting var password = Secret("hunter2")
    }

    struct Owned: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var attempts = 7
    }

    struct App: SettingsGroup {
        let limits = Limits()
        let admin = Admin()
        let owned = Owned()
        @Setting var greeting = "Hello"
    }

    let folder: TemporaryFolder
    let store: SettingsStore
    let app: App
    let api: SettingsAPI
    let time = TestTime()
    let clock = ManualClock()

    init(
        managed: SettingTree = SettingTree(), overrides: SettingTree = SettingTree(),
        variables: [String: String] = [:],
        history: HistoryPolicy = .keep(transactions: 100), isOpen: Bool = false,
        configure: (inout SettingsAPI.Configuration) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"),
            searching: [
                .source(.managed, ManualDomainSource(DomainContents(managed)), locksKeys: true),
                .source("boss", ManualDomainSource(DomainContents(overrides))),
                .environment(prefix: "APP", variables: variables), .application,
            ],
            configuration: .init(history: history))
        app = try await store.group(App.self)
        // A history that is kept begins now, and not between two requests, which would have different tags.
        if history != .unchanged { try await store.flush() }
        var configuration = SettingsAPI.Configuration(
            title: "Test", access: isOpen ? .open : .tokens(.setting(app.admin.$tokens)))
        configuration.now = { [time] in time.now }
        configuration.sleep = { [clock] in try await clock.sleep(for: $0) }
        configure(&configuration)
        api = SettingsAPI(store, groups: App.self, configuration: configuration)
    }

    /// Sends a request.
    ///
    /// - Parameter client: The client whose token is sent; `nil` for none.
    func send(
        _ method: String, _ target: String, _ body: String = "", by client: String? = "alice",
        _ headers: (name: String, value: String)...
    ) async -> Answer {
        await send(method, target, body, by: client, headers: headers)
    }

    func send(
        _ method: String, _ target: String, _ body: String, by client: String?,
        headers: [(name: String, value: String)]
    ) async -> Answer {
        var fields = headers
        if let client { fields.append(("Authorization", "Bearer \(client)-0123456789abcdef")) }
        if !body.isEmpty { fields.append(("Content-Length", "\(body.utf8.count)")) }
        return Answer(
            response: await api.respond(
                to: WebRequest(method: method, target: target, headers: fields, body: Array(body.utf8))))
    }

    func get(
        _ target: String, by client: String? = "alice", _ headers: (name: String, value: String)...
    ) async -> Answer {
        await send("GET", target, "", by: client, headers: headers)
    }
}

extension SettingsAPI {
    /// Answers a request from this machine that has no token.
    func get(_ target: String) async -> Answer {
        Answer(
            response: await respond(
                to: WebRequest(method: "GET", target: target, headers: [("Host", "localhost")])))
    }
}

/// A response with its parts.
struct Answer: Sendable {
    let response: WebResponse

    var status: Int { response.status }

    var text: String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    func field(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }

    /// The value in a JSON body, by its names; `nil` if there is none.
    func value(_ names: String...) -> SettingValue? {
        var value = try? SettingValue(json: Data(text.utf8))
        for name in names {
            guard case .dictionary(let members)? = value else { return nil }
            value = members[name]
        }
        return value
    }

    func string(_ names: String...) -> String? {
        var value = try? SettingValue(json: Data(text.utf8))
        for name in names {
            guard case .dictionary(let members)? = value else { return nil }
            value = members[name]
        }
        guard case .string(let text)? = value else { return nil }
        return text
    }

    /// The last part of the problem's type.
    var problem: String? {
        guard field("Content-Type") == "application/problem+json" else { return nil }
        return string("type").map { String($0.dropFirst("urn:settle:problem:".count)) }
    }

    /// The elements of an array in the body.
    func array(_ name: String) -> [SettingValue] {
        guard case .array(let elements)? = value(name) else { return [] }
        return elements
    }
}

extension SettingValue {
    /// A member of an object.
    subscript(name: String) -> SettingValue? {
        guard case .dictionary(let members) = self else { return nil }
        return members[name]
    }
}

/// A clock that stands until it is moved.
final class TestTime: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock(\.self) }

    func pass(_ seconds: Double) { date.withLock { $0 += seconds } }
}
