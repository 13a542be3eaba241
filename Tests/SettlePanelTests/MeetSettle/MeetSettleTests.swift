import Foundation
import Settle
import SettleHTTP
import SettlePanel
import SettleTestSupport
import SettleTesting
import Testing

/// The tutorial “Meet Settle”. The other files in this folder are links to the last steps of its sections.
@Suite(.timeLimit(.minutes(10))) struct MeetSettleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog = folder.appending(path: "../../../Sources/Settle/Settle.docc").standardizedFileURL

    private func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("Each step only adds lines to the one before, and the last step of each section is compiled here")
    func steps() throws {
        let tutorial = Self.catalog.appending(path: "MeetSettle/ALamp.tutorial")
        let page = try String(contentsOf: tutorial, encoding: .utf8)
        let steps = page.matches(of: /@Code\(name: "(\w+\.swift)", file: "([^"]+)"\)/)
        #expect(steps.count == 18)
        var last: [String: [Substring]] = [:]
        for step in steps {
            let (name, file) = (String(step.1), String(step.2))
            let lines = try lines(of: Self.catalog.appending(path: "Resources").appending(path: file))
            var rest = lines[...]
            for line in last[name] ?? [] {
                let index = try #require(rest.firstIndex(of: line), "\(file) lacks: \(line)")
                rest = rest[(index + 1)...]
            }
            #expect(last[name]?.count ?? 0 < lines.count, "\(file) adds nothing.")
            last[name] = lines
        }
        #expect(last.count == 6)
        for (name, lines) in last {
            let compiled = try self.lines(of: Self.folder.appending(path: name))
            #expect(compiled == lines, "\(name) is not the last step.")
        }
    }

    /// Records what a loop of the tutorial shows.
    private func record<Value: Sendable>(
        _ follow: @escaping @Sendable (@escaping @Sendable (Value) -> Void) async -> Void
    ) -> ChangeRecorder<Value> {
        ChangeRecorder(
            AsyncStream<Value> { continuation in
                let task = Task {
                    await follow { value in _ = continuation.yield(value) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            })
    }

    @Test("The loops show each change, and end when the store closes") func reacting() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lamp = Lamp(store: store, settings: try await store.group(LampSettings.self))
        let brightness: ChangeRecorder<Int> = record { show in await lamp.followBrightness(show: show) }
        let light: ChangeRecorder<Int> = record { show in await lamp.followLight(show: show) }
        let changes: ChangeRecorder<String> = record { show in await lamp.followChanges(show: show) }
        #expect(await brightness.next() == 60)
        #expect(await light.next() == 0)
        lamp.dim()
        #expect(await brightness.next() == 50)
        let shown = await light.until { $0.last == 50 }
        #expect(shown.last == 50)
        // Nothing else shows when the loop over changes has begun.
        try await eventually("the loop over changes has shown one") {
            lamp.settings.schedule.hour = lamp.settings.schedule.hour == 1 ? 2 : 1
            return changes.elements.last == "schedule.hour"
        }
        try await lamp.close()
        #expect(await changes.untilEnd().last == "schedule.hour")
        #expect(await brightness.untilEnd() == [60, 50])
        #expect(await light.untilEnd().last == 50)
    }

    @Test("The file is the one that the tutorial shows, and a lamp that is opened again has its values")
    func saving() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "lamp.json")
            let lamp = try await Lamp.open(at: file)
            try lamp.set(brightness: 40, offAt: 22)
            #expect(throws: SettingsError.self) { try lamp.set(brightness: 10, offAt: 99) }
            try await lamp.setSchedule(offAt: 21)
            lamp.dim()
            try await lamp.close()
            let shown = Self.catalog.appending(path: "Resources/lamp.json")
            #expect(try String(contentsOf: file, encoding: .utf8) == String(contentsOf: shown, encoding: .utf8))
            let again = try await Lamp.open(at: file)
            #expect(again.settings.isOn && again.settings.brightness == 30 && again.settings.schedule.hour == 21)
            try await again.close()
        }
    }

    @Test("A browser with a link changes the lamp, and one without is refused") func panel() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lamp = Lamp(store: store, settings: try await store.group(LampSettings.self))
        let page = LampPage(lamp, access: .sessions(PanelKey(), TestAuthentication()))
        let refused = await page.respond(
            to: WebRequest(method: "GET", target: "/", headers: [(name: "Host", value: "localhost:8080")]))
        #expect(refused.status == 401)
        let browser = PanelBrowser(page.panel)
        #expect(await browser.enter(page.link(for: "carol")).status == 303)
        #expect(await browser.get("/").text.contains("Schedule"))
        #expect(await browser.change("brightness", [("value", "30")]).status == 303)
        #expect(await browser.change("schedule.hour", [("value", "24")]).status == 422)
        #expect(lamp.settings.brightness == 30 && lamp.settings.schedule.hour == 23)
        try await lamp.close()
    }
}
