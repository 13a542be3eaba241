import Settle
import SettleTesting
import Testing

@testable import LiveServing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct DomainTests {
    private static let sources = SearchList.service(
        arguments: ["--logging.level", "debug", "serve"],
        variables: ["LIVE_LIMITS_BURST": "70", "LIVE_FEATURES_ENABLED": "a,b"])

    @Test("The listing says where each value comes from") func listedDomains() async throws {
        try await TestService.with(searching: Self.sources) { service async throws in
            service.settings.limits.perSecond = 9
            let settings = try await entries(of: service)
            for (key, domain, value) in [
                ("logging.level", "arguments", SettingValue.string("debug")),
                ("limits.burst", "environment", .integer(70)),
                ("features.enabled", "environment", .array([.string("a"), .string("b")])),
                ("limits.perSecond", "application", .integer(9)),
                ("logging.format", "declaration", .string("text")),
            ] {
                #expect(settings[key]?["domain"] == .string(domain), "\(key)")
                #expect(settings[key]?["value"] == value, "\(key)")
                let isCovered = domain == "arguments" || domain == "environment"
                #expect(settings[key]?["isCovered"] == .bool(isCovered), "\(key)")
                #expect((settings[key]?["coveredBy"] != nil) == isCovered, "\(key)")
            }
            #expect(service.store.domains.remainingArguments == ["serve"])
        }
    }

    @Test("A change that is covered is saved and says so") func coveredChange() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage, searching: Self.sources) { service async throws in
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst", "50"))
            #expect(answer.status == 200)
            let entry = try answer.json()
            #expect(entry["value"] == .integer(70))
            #expect(entry["stored"] == .integer(50))
            #expect(entry["isCovered"] == .bool(true))
            #expect(entry["coveredBy"] == .string("the variable LIVE_LIMITS_BURST"))
            #expect(storage.tree["limits.burst"] == .integer(50))
            #expect(service.settings.limits.burst == 70)
            let warning = await service.log.first(containing: "is not in force")
            #expect(warning.contains("limits.burst") && warning.contains("LIVE_LIMITS_BURST"))
            let reset = try await service.send(.admin(.delete, "/settings/limits.burst")).json()
            #expect(reset["value"] == .integer(70))
            #expect(reset["stored"] == nil)
        }
    }

    @Test("A value of another domain that cannot be used is skipped and logged")
    func unusableDomainValue() async throws {
        let list = SearchList.service(variables: ["LIVE_LIMITS_BURST": "0"])
        try await TestService.with(searching: list) { service async throws in
            #expect(try await entries(of: service)["limits.burst"]?["domain"] == .string("declaration"))
            #expect(await service.log.first(containing: "LIVE_LIMITS_BURST").contains("1...100000"))
        }
    }

    /// A value moves between the domains while the service runs.
    @Test("A domain that changes is followed") func changedDomain() async throws {
        let source = ManualDomainSource(DomainContents(Self.burst(5)))
        try await TestService.with(searching: [.source("switches", source), .application]) { service async throws in
            source.set(SettingTree())
            try await eventually("the domain has no value") {
                try await entries(of: service)["limits.burst"]?["domain"] == .string("declaration")
            }
            source.set(Self.burst(6))
            try await eventually("the domain's new value is in force") {
                try await entries(of: service)["limits.burst"]?["value"] == .integer(6)
            }
            let lines = service.log.all.filter { $0.contains("limits.burst") }
            #expect(lines.count == 2, "\(lines)")
        }
    }

    /// The token of the folder opens the endpoints, a new one takes its place at once, and none is made or shown.
    @Test("The token comes from the folder of secrets") func tokenInSecretsFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "live-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = ("a-first-token-nobody-may-see", "a-second-token-nobody-may-see")
        try Data("\(first)\n".utf8).write(to: folder.appending(path: "admin.token"))
        let list = SearchList.service(variables: [:], secrets: folder)
        try await TestService.with(token: "", searching: list) { service async throws in
            #expect(try await service.settings.admin.createTokenIfMissing() == false)
            let listing = TestRequest.admin(.get, "/settings/admin.token", token: first)
            let entry = try await service.send(listing).json()
            #expect(entry["domain"] == .string("secrets"))
            #expect(entry["value"] == nil && entry["stored"] == nil)
            let answer = try await service.send(
                .admin(.patch, "/settings/admin.token", token: first, "\"another-token-nobody-may-see\""))
            #expect(answer.status == 200)
            #expect(try answer.json()["isCovered"] == .bool(true))
            try Data(second.utf8).write(to: folder.appending(path: "admin.token"), options: .atomic)
            try await eventually("the new token is accepted") {
                try await service.send(.admin(.get, "/settings", token: second)).status == 200
            }
            #expect(try await service.send(listing).status == 401)
            #expect(!(service.log.all + [answer.text]).contains { $0.contains("nobody-may-see") })
        }
    }

    /// As under systemd: the token is a credential, and an administrator edits a file with variables.
    @Test("Credentials and a file of variables are followed") func followedFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "live-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (token, file) = ("a-credential-nobody-may-see", folder.appending(path: "live-service.env"))
        try Data("\(token)\n".utf8).write(to: folder.appending(path: "admin.token"))
        try Data("LIVE_LIMITS_BURST=7 # at night\n".utf8).write(to: file)
        let list = SearchList.service(variables: ["CREDENTIALS_DIRECTORY": folder.path], environmentFile: file)
        try await TestService.with(token: "", searching: list) { service async throws in
            func burst() async throws -> SettingValue? {
                try await service.send(.admin(.get, "/settings/limits.burst", token: token)).json()["value"]
            }
            #expect(try await burst() == .integer(7))
            try Data("LIVE_LIMITS_BURST=8\n".utf8).write(to: file, options: .atomic)
            try await eventually("the file's new value is in force") { try await burst() == .integer(8) }
            #expect(service.log.all.contains { $0.contains("limits.burst from 7 to 8") }, "\(service.log.all)")
        }
    }

    private static func burst(_ value: Int64) -> SettingTree {
        var tree = SettingTree()
        tree["limits.burst"] = .integer(value)
        return tree
    }

    private func entries(of service: TestService) async throws -> [String: SettingValue.Entries] {
        guard case .array(let settings)? = try await service.send(.admin(.get, "/settings")).json()["settings"] else {
            throw MissingField()
        }
        return Dictionary(
            settings.compactMap { setting in
                guard case .dictionary(let entry) = setting, case .string(let key)? = entry["key"] else { return nil }
                return (key, entry)
            }, uniquingKeysWith: { $1 })
    }
}
