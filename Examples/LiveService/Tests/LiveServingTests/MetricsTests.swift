import CoreMetrics
import Settle
import SettleTesting
import Testing

@testable import LiveServing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)))
struct MetricsTests {
    @Test("Changes saves and failures are counted") func changesSavesAndFailuresAreCounted() async throws {
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

    @Test("The age of the oldest unsaved change is shown") func theAgeOfTheOldestUnsavedChangeIsShown() async throws {
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

    @Test("Requests are counted by their route") func requestsAreCountedByTheirRoute() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(.get("/features/a"))
            _ = try await service.send(.get("/features/b"))
            let text = try await service.send(.get("/metrics")).text
            #expect(text.contains("http_requests_total{method=\"GET\",route=\"/features/{name}\",status=\"200\"} 2\n"))
        }
    }

    @Test("The limits are shown as they are") func theLimitsAreShownAsTheyAre() async throws {
        try await TestService.with { service async throws in
            try service.settings.limits.update {
                $0.burst = 7
                $0.perSecond = 8
            }
            try await eventually("the new limit is shown") { try await values(of: service)["rate_limit_burst"] == 7 }
            #expect(try await values(of: service)["rate_limit_per_second"] == 8)
        }
    }

    @Test("The time of requests is a distribution") func theTimeOfRequestsIsADistribution() async throws {
        try await TestService.with { service async throws in
            for _ in 0..<3 { _ = try await service.send(.get("/features/a")) }
            let values = try await values(of: service)
            let name = "http_request_duration_seconds"
            #expect(values["\(name)_count{route=\"/features/{name}\"}"] == 3)
            #expect(values["\(name)_sum{route=\"/features/{name}\"}"] ?? 0 > 0)
            #expect(values["\(name)_bucket{route=\"/features/{name}\",le=\"+Inf\"}"] == 3)
        }
    }

    @Test("The process and the build are shown") func theProcessAndTheBuildAreShown() async throws {
        try await TestService.with { service async throws in
            let values = try await values(of: service)
            let again = try await self.values(of: service)
            #expect(values["live_service_build_info{version=\"\(LiveService.version)\"}"] == 1)
            #expect(values["process_cpu_seconds_total"] ?? 0 > 0)
            #expect(again["process_cpu_seconds_total"] ?? 0 >= values["process_cpu_seconds_total"] ?? 0)
            // A second reading must not add the first one again.
            #expect(again["process_cpu_seconds_total"] ?? 0 < ProcessFigures.now.processorSeconds ?? 0)
            #expect(values["process_max_fds"] ?? 0 > values["process_open_fds"] ?? 0)
            #expect(values["process_open_fds"] ?? 0 > 3)
            #if os(Linux)
                #expect(values["process_resident_memory_bytes"] ?? 0 > 1_000_000)
                let start = Date(timeIntervalSince1970: values["process_start_time_seconds"] ?? 0)
                #expect(start < Date.now && start > Date.now.addingTimeInterval(-86_400))
            #endif
        }
    }

    @Test("Each metric is explained") func eachMetricIsExplained() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(.get("/hello"))
            try await eventually("the limits are shown") { try await values(of: service)["rate_limit_burst"] != nil }
            let lines = try await service.send(.get("/metrics")).text.split(separator: "\n")
            func names(_ kind: String) -> [Substring] {
                lines.filter { $0.hasPrefix("# \(kind) ") }.map { $0.split(separator: " ")[2] }
            }
            #expect(names("HELP") == names("TYPE"))
            // No connection has been cut off.
            let missing = Set(PrometheusMetrics.help.keys).subtracting(names("HELP").map(String.init))
            #expect(missing == ["http_connections_cut_off_total"])
            for line in lines where line.hasPrefix("# TYPE ") && line.hasSuffix(" counter") {
                #expect(line.split(separator: " ")[2].hasSuffix("_total"), "\(line)")
            }
        }
    }

    @Test("A stored value that cannot be used is counted") func aStoredValueThatCannotBeUsedIsCounted() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0)])
            try await eventually("the unusable value is counted") {
                try await values(of: service)["settings_unusable_values"] == 1
            }
        }
    }

    @Test(
        "Numbers are spelled as Prometheus reads them",
        arguments: [(Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0.5, "0.5"), (1e300, "1e+300")])
    func numbersAreSpelledAsPrometheusReadsThem(number: Double, text: String) {
        let metrics = PrometheusMetrics()
        Meter(label: "level", factory: metrics).set(number)
        #expect(metrics.text() == "# TYPE level gauge\nlevel \(text)\n")
    }

    @Test("Metrics are spelled as Prometheus reads them") func metricsAreSpelledAsPrometheusReadsThem() {
        let metrics = PrometheusMetrics(help: ["hits_total": "Hits,\nwith \\ and \"."])
        Counter(label: "hits.total", dimensions: [("path", "a\"b\\c\nd")], factory: metrics).increment(by: 2)
        Counter(label: "hits.total", dimensions: [("path", "a\"b\\c\nd")], factory: metrics).increment()
        Meter(label: "level", factory: metrics).set(1.5)
        #expect(
            metrics.text() == """
                # HELP hits_total Hits,\\nwith \\\\ and ".
                # TYPE hits_total counter
                hits_total{path="a\\"b\\\\c\\nd"} 3
                # TYPE level gauge
                level 1.5

                """)
    }

    @Test("A recorded time counts in each bucket that is not lower")
    func aRecordedTimeCountsInEachBucketThatIsNotLower() {
        let metrics = PrometheusMetrics()
        for milliseconds in [1, 250, 251, 20_000] {
            Timer(label: "time", dimensions: [("a", "b")], factory: metrics).recordMilliseconds(milliseconds)
        }
        let buckets = metrics.text().split(separator: "\n").filter { $0.hasPrefix("time_bucket") }
        #expect(buckets.first == "time_bucket{a=\"b\",le=\"0.001\"} 1")
        #expect(buckets.contains("time_bucket{a=\"b\",le=\"0.1\"} 1"))
        #expect(buckets.contains("time_bucket{a=\"b\",le=\"0.25\"} 2"))
        #expect(buckets.contains("time_bucket{a=\"b\",le=\"0.5\"} 3"))
        #expect(buckets.contains("time_bucket{a=\"b\",le=\"10\"} 3"))
        #expect(buckets.last == "time_bucket{a=\"b\",le=\"+Inf\"} 4")
        #expect(metrics.text().hasSuffix("time_sum{a=\"b\"} 20.502\ntime_count{a=\"b\"} 4\n"))
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
