import Settle

extension DomainSourceConformance {
    private typealias Mismatch = StorageConformance.Mismatch

    typealias Check = (promise: String, run: (any DomainSource) async throws -> Void)

    /// The checks that close their source, each once.
    var closingChecks: [Check] {
        checks.map { check in
            (
                check.promise,
                { source in
                    do {
                        try await check.run(source)
                    } catch {
                        await source.close()
                        throw error
                    }
                    await source.close()
                }
            )
        } + [("A source that is closed reports nothing", endsReports)]
    }

    private var checks: [Check] {
        [
            ("Without values, a load returns none and does not fail", loadsNothing),
            ("A load returns all values, and so does the next one", loadsAll),
            ("A load after a change returns exactly the new values", loadsChanges),
            ("A change between the first load and the watch is reported", reportsEarlyChange),
            ("Each change is reported, including the removal of all values", reportsChanges),
            ("Every key has a location, which shows no value", tellsPlaces),
            ("A load that fails says why, and a later one succeeds again", healsAfterFault),
        ]
    }

    private func loadsNothing(_ source: any DomainSource) async throws {
        try await expect(source, toHave: [:])
    }

    private func loadsAll(_ source: any DomainSource) async throws {
        try await change(source, SettingTree(Self.first))
        for _ in 0..<2 { try await expect(source, toHave: Self.first) }
    }

    private func loadsChanges(_ source: any DomainSource) async throws {
        for values in [Self.first, Self.second, [:], Self.first] {
            try await change(source, SettingTree(values))
            try await expect(source, toHave: values)
        }
    }

    private func reportsEarlyChange(_ source: any DomainSource) async throws {
        _ = try await source.load()
        try await change(source, SettingTree(Self.first))
        let reports = Reports(of: source)
        guard await reports.wait(beyond: 0, for: patience) else { throw Mismatch("nothing was reported") }
        try await expect(source, toHave: Self.first)
    }

    private func reportsChanges(_ source: any DomainSource) async throws {
        _ = try await source.load()
        let reports = Reports(of: source)
        for values in [Self.first, Self.second, [:], Self.second] {
            let count = reports.count
            try await change(source, SettingTree(values))
            guard await reports.wait(beyond: count, for: patience) else { throw Mismatch("a change was not reported") }
            try await reports.expect(source, toHave: values, for: patience)
        }
    }

    private func endsReports(_ source: any DomainSource) async throws {
        _ = try await source.load()
        let reports = Reports(of: source)
        guard await reports.end(within: patience) else { throw Mismatch("its cancelled task has not ended") }
        await source.close()
        let count = reports.count
        try await change(source, SettingTree(Self.first))
        guard await reports.wait(beyond: count, for: min(patience, .milliseconds(100))) else { return }
        throw Mismatch("a change was reported")
    }

    private func tellsPlaces(_ source: any DomainSource) async throws {
        let keys: [SettingKey] = ["name", "group.inner", "missing", .path("a.b", "c\\d")]
        for values in [[:], Self.first] {
            try await change(source, SettingTree(values))
            for key in keys { try check(source.place(of: key), of: key) }
            _ = try await source.load()
            for key in keys { try check(source.place(of: key), of: key) }
        }
    }

    private func check(_ place: String, of key: SettingKey) throws {
        guard !place.isEmpty else { throw Mismatch("the location of “\(key)” is empty") }
        guard !place.contains("first value") else { throw Mismatch("the location of “\(key)” shows its value") }
    }

    private func healsAfterFault(_ source: any DomainSource) async throws {
        guard let setFault else { return }
        try await change(source, SettingTree(Self.first))
        _ = try await source.load()
        guard try await setFault(source, true) else { return }
        do {
            _ = try await source.load()
            throw Mismatch("it did not fail")
        } catch let error as StorageError {
            guard !error.description.isEmpty else { throw Mismatch("its error says nothing") }
        }
        _ = try await setFault(source, false)
        try await change(source, SettingTree(Self.second))
        try await expect(source, toHave: Self.second)
    }

    private func expect(_ source: any DomainSource, toHave values: SettingValue.Entries) async throws {
        let contents = try await source.load()
        guard contents.tree.root != values else { return }
        throw Mismatch("expected \(values); found \(contents.tree.root), with the problems \(contents.problems)")
    }

    private static let first: SettingValue.Entries = [
        "name": .string("first value"), "group": .dictionary(["inner": .string("first value"), "other": .string("x")]),
    ]
    private static let second: SettingValue.Entries = [
        "name": .string("second"), "group": .dictionary(["other": .string("x")]), "new": .string("ü, = \" \\"),
    ]
}

/// Counts the reports of a source.
private final class Reports: Sendable {
    private let reports: WatchedValue<Int>
    /// Whether the task of an `AsyncDomainSource` has not ended.
    private let isFollowed: WatchedValue<Bool>
    private let following: Task<Void, Never>?

    init(of source: any DomainSource) {
        let (reports, isFollowed) = (WatchedValue(0), WatchedValue(source is any AsyncDomainSource))
        (self.reports, self.isFollowed) = (reports, isFollowed)
        let changed: @Sendable () -> Void = { reports.update { $0 += 1 } }
        if let source = source as? any AsyncDomainSource {
            following = Task.detached {
                await source.follow(changed)
                isFollowed.update { $0 = false }
            }
        } else {
            following = nil
            source.watch(changed)
        }
    }

    deinit { following?.cancel() }

    var count: Int { reports.value }

    /// - Returns: False if no further report arrives in time.
    func wait(beyond count: Int, for patience: Duration) async -> Bool {
        await isTrue(within: patience) { [reports] in await reports.value { $0 > count } > count }
    }

    /// Cancels the task of an `AsyncDomainSource`.
    ///
    /// - Returns: False if it does not end in time.
    func end(within patience: Duration) async -> Bool {
        following?.cancel()
        return await isTrue(within: patience) { [isFollowed] in await isFollowed.value { !$0 } == false }
    }

    private func isTrue(within patience: Duration, _ condition: @escaping @Sendable () async -> Bool) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await condition() }
            group.addTask {
                try? await ContinuousClock().sleep(for: patience)
                return false
            }
            let result = await group.next() ?? false
            group.cancelAll()
            return result
        }
    }

    /// Expects a source to have some values. A change may take several steps, the last of which is reported too.
    func expect(_ source: any DomainSource, toHave values: SettingValue.Entries, for patience: Duration) async throws {
        while true {
            let count = count
            let found = try? await source.load().tree.root
            if found == values { return }
            guard await wait(beyond: count, for: patience) else {
                throw StorageConformance.Mismatch("after the last report it has \(found ?? [:]) instead of \(values)")
            }
        }
    }
}
