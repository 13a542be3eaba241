import Foundation
import Settle
import SettleTesting
import Testing

private struct EventSettings: SettingsGroup {
    @Setting var date: Date?
    @Setting var bytes = Data()
    @Setting var count = 0
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct CrashPointsTests {
    private static func commitThrice(_ run: CrashRun<Int>) async throws {
        let store = try await run.openStore()
        let settings = try await store.group(CounterSettings.self)
        for _ in 0..<3 {
            try await settings.commit {
                settings.count += 1
                settings.other -= 1
            }
            run.acknowledge(settings.count)
        }
    }

    @Test("Every acknowledged commit survives every crash, and no commit is ever half stored")
    func example() async throws {
        let checks = LockedValue(0)
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            try await Self.commitThrice(run)
        } check: { recovered in
            checks.withLock { $0 += 1 }
            let settings = try await recovered.store.group(CounterSettings.self)
            #expect(settings.count >= recovered.acknowledged.last ?? 0, "\(recovered)")
            #expect(settings.count <= (recovered.acknowledged.last ?? 0) + 1, "\(recovered)")
            #expect(settings.count + settings.other == 0, "\(recovered)")
        }
        #expect(checks.withLock { $0 } > 10)
    }

    @Test("Changes that are saved without a commit survive every crash too") func settling() async throws {
        try await forEachCrashPoint(
            acknowledging: Int.self, initialFiles: ["settings.json": Data(#"{"count": 7}"#.utf8)]
        ) { run in
            let store = try await run.openStore()
            let settings = try await store.group(CounterSettings.self)
            #expect(settings.count == 7)
            for _ in 0..<3 {
                try settings.update {
                    settings.count += 1
                    settings.list.append(settings.count)
                }
                try await run.settle()
                run.acknowledge(settings.count)
            }
            try await store.close()
        } check: { recovered in
            let settings = try await recovered.store.group(CounterSettings.self)
            #expect(settings.count >= recovered.acknowledged.last ?? 7, "\(recovered)")
            #expect(settings.list.count == settings.count - 7, "\(recovered)")
        }
    }

    @Test("Dates and data recover as the same values, from the journal and from the file")
    func datesAndData() async throws {
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            let store = try await run.openStore()
            let settings = try await store.group(EventSettings.self)
            for count in 1...2 {
                try await settings.commit {
                    settings.date = start + Double(count)
                    settings.bytes = Data([UInt8(count), 0, 255])
                    settings.count = count
                }
                run.acknowledge(count)
                try await run.settle()
            }
            try await store.close()
        } check: { recovered in
            let settings = try await recovered.store.group(EventSettings.self)
            let count = settings.count
            #expect(count >= recovered.acknowledged.last ?? 0, "\(recovered)")
            #expect(settings.date == (count == 0 ? nil : start + Double(count)), "\(recovered)")
            #expect(settings.bytes == (count == 0 ? Data() : Data([UInt8(count), 0, 255])), "\(recovered)")
        }
    }

    @Test("Values of many sectors and removals survive saves of every kind, whole or not at all", arguments: 0..<3)
    func manySectors(seed: UInt64) async throws {
        try await forEachCrashPoint(
            acknowledging: Int.self, savePolicy: seed == 1 ? .immediate : .debounced(),
            maximumImagesPerPoint: 30, seed: seed
        ) { run in
            let store = try await run.openStore()
            let settings = try await store.group(CounterSettings.self)
            for number in 1...4 {
                try settings.update {
                    settings.count = number
                    settings.name = String(repeating: "\(number)", count: number == 3 ? 1 : 2_000 * number)
                    settings.table = number.isMultiple(of: 2) ? [:] : ["\(number)": number]
                }
                if number.isMultiple(of: 2) { try await store.flush() } else { try await run.settle() }
                run.acknowledge(number)
            }
        } check: { recovered in
            let settings = try await recovered.store.group(CounterSettings.self)
            let number = settings.count
            #expect(number >= recovered.acknowledged.last ?? 0, "\(recovered)")
            #expect(settings.name.allSatisfy { "\($0)" == "\(number)" }, "\(recovered)")
            #expect(settings.name.count == (number == 3 ? 1 : 2_000 * number), "\(recovered)")
            #expect(settings.table == (number.isMultiple(of: 2) ? [:] : ["\(number)": number]), "\(recovered)")
        }
    }

    @Test("A storage without a flaw passes") func noFlaw() async throws {
        let looked = try await forEachCrashPoint(
            of: { disk, _ in FlawedStorage(disk, .none) }, acknowledging: Int.self, makesFolder: false,
            Self.commitThrice)
        #expect(looked.points > 15)
        #expect(looked.images > 20)
    }

    @Test(
        "A storage with a flaw is caught", arguments: FlawedStorage.Flaw.allCases.filter { $0 != .none })
    func flaws(flaw: FlawedStorage.Flaw) async throws {
        let error = await #expect(throws: CrashFailure.self) {
            try await forEachCrashPoint(
                of: { disk, _ in FlawedStorage(disk, flaw) }, acknowledging: Int.self, makesFolder: false, seed: 5,
                Self.commitThrice
            )
        }
        let failure = try #require(error)
        #expect(failure.call > 0)
        #expect(failure.seed == 5)
        let expected =
            switch flaw {
            case .none: ""
            case .writesLater, .removesFirst: "promised to keep"
            case .acknowledgesBeforeSync, .writesInPlace, .chokesOnLeftovers: "can't be opened"
            case .looksNew: "as if nothing had ever been stored"
            case .looksRemoved: "had been removed"
            case .splitsBatches: "was never stored;"
            case .rewritesOnLoad: "The recovery was stopped too"
            case .trustsFolders, .forgetsFolderSync, .forgetsFolderSyncAfterLoad: "lost by the next crash"
            }
        #expect(failure.description.contains(expected), "\(failure)")
    }

    @Test("An error thrown by the check is reported with the seed of the crash") func throwingCheck() async throws {
        let error = await #expect(throws: CrashFailure.self) {
            try await forEachCrashPoint(acknowledging: Int.self, seed: 7, Self.commitThrice) { recovered in
                if !recovered.acknowledged.isEmpty { throw TestFailure(number: 3) }
            }
        }
        #expect(error?.underlying as? TestFailure == TestFailure(number: 3))
        #expect(error?.description.contains("seed 7") == true)
    }

    @Test("A scenario that acknowledges nothing needs no type and no check") func noCheck() async throws {
        try await forEachCrashPoint(maximumImagesPerPoint: 10) { run in
            let store = try await run.openStore()
            let settings = try await store.group(CounterSettings.self)
            settings.count = 1
            try await store.close()
        }
    }
}
