import CoreMetrics
import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MetricsTests {
    @Test func changesSavesAndFailuresAreCounted() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            let before = try await values(of: service)
            _ = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
            storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
            _ = try await service.send(.admin(.patch, "/settings/limits.burst", "8"))
            storage.heal()
            let after = try await values(of: service)
            func rise(_ name: String) -> Double { (after[name] ?? 0) - (before[name] ?? 0) }
            // The change that could not be saved counts, and so does undoing it.
            #expect(rise("settings_changes_total") == 3)
            #expect(rise("settings_saves_total") >= 1)
            #expect(rise("settings_failed_saves_total") >= 1)
        }
    }

    @Test func theAgeOfTheOldestUnsavedChangeIsShown() async throws {
        let clock = ManualClock()
        let configuration = SettingsStore.Configuration(clock: clock)
        try await TestService.with(configuration: configuration) { service async throws in
            try await service.store.flush()
            #expect(try await values(of: service)["settings_oldest_unsaved_change_seconds"] == 0)
            service.settings.limits.burst = 7
            #expect(service.store.status.oldestUnsavedChange != nil)
            #expect(try await values(of: service)["settings_oldest_unsaved_change_seconds"] ?? 0 > 0)
        }
    }

    @Test func requestsAreCountedByTheirRoute() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(.get("/features/a"))
            _ = try await service.send(.get("/features/b"))
            let text = try await service.send(.get("/metrics")).text
            #expect(text.contains("http_requests_total{method=\"GET\",route=\"/features/{name}\",status=\"200\"} 2\n"))
        }
    }

    @Test func theLimitsAreShownAsTheyAre() async throws {
        try await TestService.with { service async throws in
            try service.settings.limits.update {
                $0.burst = 7
                $0.perSecond = 8
            }
            while try await values(of: service)["rate_limit_burst"] != 7 { await Task.yield() }
            #expect(try await values(of: service)["rate_limit_per_second"] == 8)
        }
    }

    @Test func metricsAreSpelledAsPrometheusReadsThem() {
        let metrics = PrometheusMetrics()
        Counter(label: "hits.total", dimensions: [("path", "a\"b\\c\nd")], factory: metrics).increment(by: 2)
        Counter(label: "hits.total", dimensions: [("path", "a\"b\\c\nd")], factory: metrics).increment()
        Meter(label: "level", factory: metrics).set(1.5)
        Timer(label: "time", factory: metrics).recordMilliseconds(250)
        Timer(label: "time", factory: metrics).recordMilliseconds(250)
        #expect(
            metrics.text() == """
                # TYPE hits_total counter
                hits_total{path="a\\"b\\\\c\\nd"} 3
                # TYPE level gauge
                level 1.5
                # TYPE time summary
                time_count 2
                time_sum 0.5

                """)
    }

    private func values(of service: TestService) async throws -> [String: Double] {
        let lines = try await service.send(.get("/metrics")).text.split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 2 ? Double(words[1]).map { (String(words[0]), $0) } : nil
            }, uniquingKeysWith: { $1 })
    }
}
