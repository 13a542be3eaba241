import Settle
import SettleHTTP
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct StatusTests {
    @Test("A program that saves is live and ready") func programSavesLiveReady() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "x" }
        for name in ["live", "ready"] {
            let answer = await program.get("/health/\(name)")
            #expect(answer.status == 200 && answer.string("status") == name)
            #expect(answer.string("settings") == answer.string("file", "state"))
        }
    }

    @Test("The program's own reasons make it not ready") func programsOwnReasonsMake() async throws {
        let program = try await APIProgram { $0.reasonsNotReady = { ["Maintenance is on.", "It stops."] } }
        let answer = await program.get("/health/ready")
        #expect(answer.status == 503 && answer.problem == "not-ready")
        #expect(answer.array("reasons") == [.string("Maintenance is on."), .string("It stops.")])
        #expect(await program.get("/health/live").status == 200)
    }

    @Test("Failing saves make it not ready, and are in health, metrics and listing") func failingSavesMakeReady()
        async throws
    {
        let storage = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: storage, configuration: .init(savePolicy: .immediate))
        let limits = try await store.group(APIProgram.Limits.self)
        let api = SettingsAPI(store, configuration: .init(access: .open))
        let error = StorageError(.writeFailed, "The disk is full.")
        storage.fail(.append, with: error)
        storage.fail(.syncedAppend, with: error)
        limits.perSecond = 5
        try? await store.flush()
        let ready = await api.get("/health/ready")
        #expect(ready.status == 503 && ready.string("detail")?.contains("can't be saved") == true)
        #expect(ready.string("file", "state") == "failing")
        let live = await api.get("/health/live")
        #expect(live.status == 200 && live.string("settings") == "failing")
        #expect(await api.get("/settings").string("file", "problem")?.contains("The disk is full.") == true)
        var open = SettingsAPI.Configuration(access: .open)
        open.health = .open
        let request = WebRequest(method: "GET", target: "/health/ready", headers: [("Host", "localhost")])
        let seenByAll = Answer(response: await SettingsAPI(store, configuration: open).respond(to: request))
        #expect(seenByAll.status == 503 && seenByAll.string("file", "state") == "failing")
        #expect(seenByAll.text.contains("can't be saved") && !seenByAll.text.contains("The disk is full."))
        let metrics = await api.get("/metrics").text
        #expect(metrics.contains("settings_file_state{state=\"failing\"} 1\n"))
        #expect(metrics.contains("settings_file_state{state=\"saved\"} 0\n"))
        storage.heal()
        try await store.close()
    }

    @Test("An edit that can't be parsed is reported everywhere, and the program stays ready")
    func editCantParsedReported() async throws {
        let folder = try TemporaryFolder()
        let (file, clock) = (folder.url.appending(path: "app.json"), ManualClock())
        let store = try await SettingsStore.open(at: file, configuration: .init(clock: clock))
        let limits = try await store.group(APIProgram.Limits.self)
        let api = SettingsAPI(store, configuration: .init(access: .open))
        try await store.commit { limits.burst = 5 }
        try await store.file.flush()
        let good = try Data(contentsOf: file)
        try Data("{ half".utf8).write(to: file)
        try await eventually("the edit is reported", advancing: clock, by: .milliseconds(250)) {
            if case .fileBehind = store.status { true } else { false }
        }
        let ready = await api.get("/health/ready")
        #expect(ready.status == 200 && ready.string("settings") == "behind")
        #expect(ready.string("file", "problem") != nil)
        #expect(await api.get("/settings").string("file", "state") == "behind")
        #expect(await api.get("/metrics").text.contains("settings_file_state{state=\"behind\"} 1\n"))
        #expect(await api.get("/settings/burst").value("value") == .integer(5))
        try good.write(to: file)
        try await store.close()
    }

    @Test("Metrics are in Prometheus' form unless OpenMetrics is accepted") func metricsPrometheusFormUnless()
        async throws
    {
        let program = try await APIProgram { configuration in
            configuration.moreMetrics = {
                [Metric("my.metric", .gauge, help: "A \\ and\na line.", samples: [.init(1.5, labels: ["a": "\"b\n"])])]
            }
        }
        _ = await program.get("/settings")
        let plain = await program.get("/metrics")
        #expect(plain.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(plain.text.contains("# TYPE settings_changes_total counter\nsettings_changes_total "))
        #expect(plain.text.contains("# HELP my_metric A \\\\ and\\na line.\n"))
        #expect(plain.text.contains("my_metric{a=\"\\\"b\\n\"} 1.5\n"))
        let group = "{method=\"GET\",route=\"/settings\",status=\"200\"}"
        #expect(plain.text.contains("settings_api_requests_total\(group) 1\n"))
        #expect(!plain.text.contains("# EOF"))
        let accept = ("Accept", "application/openmetrics-text; version=1.0.0, text/plain;q=0.5")
        let open = await program.get("/metrics", accept)
        #expect(open.field("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(open.text.contains("# TYPE settings_changes counter\nsettings_changes_total "))
        #expect(open.text.hasSuffix("# EOF\n"))
    }

    @Test("A label can't leave its quotation marks or its line") func labelCantLeaveQuotation() async throws {
        let program = try await APIProgram { configuration in
            configuration.moreMetrics = {
                [Metric("mine", .gauge, help: "A.\r\nB", samples: [.init(1, labels: ["a": "\"\u{301}\r\n\\\u{301}"])])]
            }
        }
        let text = await program.get("/metrics").text
        let expected = "# HELP mine A.\r\\nB\n# TYPE mine gauge\nmine{a=\"\\\"\u{301}\r\\n\\\\\u{301}\"} 1\n"
        // Compared as bytes, because characters include the accents.
        #expect(Array(text.utf8).contains(Array(expected.utf8)))
    }

    @Test("A client can't make up names in the metrics") func clientCantMakeUp() async throws {
        let program = try await APIProgram()
        _ = await program.send("BREW", "/xyzzy/quux")
        let text = await program.get("/metrics").text
        #expect(!text.contains("BREW") && !text.contains("quux"))
        #expect(text.contains("{method=\"other\",route=\"none\",status=\"404\"} 1\n"))
    }

    @Test("The document describes exactly what is mounted") func documentDescribesExactlyMounted() async throws {
        let program = try await APIProgram { ($0.path, $0.metrics, $0.health) = ("/admin", .off, .open) }
        let answer = await program.get("/openapi.json")
        #expect(answer.status == 200 && answer.string("openapi") == "3.1.0")
        guard case .dictionary(let paths)? = answer.value("paths") else {
            Issue.record("There are no paths.")
            return
        }
        #expect(
            paths.keys.sorted() == [
                "/admin/health/live", "/admin/health/ready", "/admin/openapi.json", "/admin/settings",
                "/admin/settings/changes", "/admin/settings/check", "/admin/settings/history",
                "/admin/settings/undo/{token}", "/admin/settings/{key}",
            ])
        guard case .dictionary(let item)? = paths["/admin/settings/{key}"] else { return }
        #expect(item.keys.sorted() == ["delete", "get", "patch"])
        #expect(item["patch"]?["security"] != nil)
        #expect(paths["/admin/health/live"]?["get"]?["security"] == nil)
        let schema = answer.value("components", "schemas", "Settings.Values", "properties", "limits.burst")
        #expect(schema?["maximum"] == .integer(100_000) && schema?["type"] == .string("integer"))
        #expect(try await program.api.openAPIDocument()["paths"] == answer.value("paths"))
    }

    @Test("Each answer that a route gives is in the document") func eachAnswerRouteGives() async throws {
        let program = try await APIProgram()
        let paths = try #require(await program.get("/openapi.json").value("paths"))
        for (method, path, body) in [
            ("GET", "/settings", ""), ("GET", "/settings/{key}", ""), ("PATCH", "/settings/{key}", "5"),
            ("PATCH", "/settings/{key}", "0"), ("PATCH", "/settings", "{}"), ("DELETE", "/settings/{key}", ""),
            ("POST", "/settings/check", "{\"limits.burst\": 0}"), ("GET", "/settings/changes", ""),
            ("GET", "/settings/history", ""), ("POST", "/settings/undo/{token}", ""), ("GET", "/health/ready", ""),
        ] {
            let target = path.replacing("{key}", with: "limits.burst").replacing("{token}", with: "x")
            let answer = await program.send(method, target, body)
            let responses = paths[path]?[method.lowercased()]?["responses"]
            let mediaType = answer.field("Content-Type")?.split(separator: ";").first.map(String.init) ?? "none"
            let content = responses?["\(answer.status)"]?["content"]
            #expect(content?[mediaType] != nil, "\(method) \(target): \(answer.status)")
        }
    }

    @Test("The refusals of an open API are in its document") func refusalsOfOpenAPI() async throws {
        let (program, host) = (try await APIProgram(isOpen: true), ("Host", "localhost"))
        let paths = try #require(await program.get("/openapi.json", by: nil, host).value("paths"))
        let owned = await program.send("PATCH", "/settings/owned.attempts", "8", by: nil, host)
        #expect(owned.status == 403 && owned.problem == "owner-only")
        let foreign = ("Origin", "https://other.example")
        let crossed = await program.send("POST", "/settings/check", "{}", by: nil, host, foreign)
        #expect(crossed.status == 403 && crossed.problem == "foreign-page")
        for (method, path) in [
            ("patch", "/settings"), ("patch", "/settings/{key}"), ("delete", "/settings/{key}"),
            ("post", "/settings/check"), ("post", "/settings/undo/{token}"),
        ] { #expect(paths[path]?[method]?["responses"]?["403"] != nil, "\(method) \(path)") }
        #expect(paths["/settings"]?["get"]?["responses"]?["403"] == nil)
    }

    @Test("Once the store is closed, a change is 503, as the document says") func closedStore() async throws {
        let program = try await APIProgram()
        let paths = try #require(await program.get("/openapi.json").value("paths"))
        try await program.store.close()
        let answer = await program.send("PATCH", "/settings/greeting", "\"x\"")
        #expect(answer.status == 503 && answer.problem == "closing")
        #expect(paths["/settings"]?["get"]?["responses"]?["503"] != nil)
        #expect(paths["/health/live"]?["get"]?["responses"]?["503"] == nil)
    }

    @Test("The document is merged into that of the program") func documentMergedIntoProgram() async throws {
        let program = try await APIProgram()
        let own = SettingValue.dictionary([
            "openapi": .string("3.1.0"), "paths": .dictionary(["/own": .dictionary([:])]),
            "components": .dictionary(["schemas": .dictionary(["Own": .null]), "x": .bool(true)]),
        ])
        let merged = try await program.api.openAPIDocument(mergedInto: own)
        #expect(merged["paths"]?["/own"] != nil && merged["paths"]?["/settings"] != nil)
        #expect(merged["components"]?["schemas"]?["Own"] == .null && merged["components"]?["x"] == .bool(true))
        #expect(merged["components"]?["schemas"]?["Settings.Problem"] != nil && merged["info"] == nil)
    }
}
