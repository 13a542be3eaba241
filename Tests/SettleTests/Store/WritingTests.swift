import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct WritingTests {
    @Test("n tasks that each add 1 add n in total")
    func additions() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<500 { settings.count += 1 } }
            }
        }
        #expect(settings.count == 10_000)
        #expect(store.revision == 10_000)
    }

    @Test("Concurrent appends and dictionary writes lose nothing")
    func collections() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        settings.list.append(number * 50 + step)
                        settings.table["\(step)", default: 0] += 1
                    }
                }
            }
        }
        #expect(settings.list.sorted() == Array(0..<400))
        #expect(settings.table.count == 50 && settings.table.values.allSatisfy { $0 == 8 })
    }

    @Test("Reading inside a write does not wait for the writer")
    func readerInWriter() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for settings in [try await store.group(CounterSettings.self), CounterSettings()] {
            settings.list = [1, 2, 3]
            settings.list.removeAll { $0 == settings.list.count }
            #expect(settings.list == [1, 2])
            settings.table["a", default: settings.table.count] += settings.count + 1
            #expect(settings.table == ["a": 1])
        }
    }

    @Test("Readers on other threads see the old value without waiting for a writer at work")
    func readersGoOn() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.list = [1]
        let gate = Gate()
        async let writer: Void = onThread {
            settings.list.removeAll { _ in
                gate.pass()
                return true
            }
        }
        await gate.waitUntilReached()
        #expect(await onThread { settings.list } == [1])
        #expect(await onThread { settings.snapshot().list } == [1])
        gate.open()
        await writer
        #expect(settings.list.isEmpty)
    }

    @Test("A store has one writer at a time")
    func oneWriter() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.list = [1]
        let gate = Gate()
        async let first: Void = onThread {
            settings.list.removeAll { _ in
                gate.pass()
                settings.name = "first"
                return true
            }
        }
        await gate.waitUntilReached()
        async let second: Void = onThread { settings.name += " second" }
        gate.open()
        _ = await (first, second)
        // Whenever the second writer came, it read and wrote outside the first one's write.
        #expect(settings.name == "first second")
    }

    @Test("A writer may write other settings in the middle of its own write")
    func nestedWrites() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for settings in [try await store.group(CounterSettings.self), CounterSettings()] {
            settings.list = [1, 2, 3, 4]
            settings.list.removeAll { element in
                settings.table["seen", default: 0] += 1
                settings.count += element
                return element.isMultiple(of: 2)
            }
            #expect(settings.list == [1, 3])
            #expect(settings.count == 10)
            #expect(settings.table == ["seen": 4])
        }
    }

    @Test("Writing a setting inside its own change in place stops the program, because a write would be lost")
    func overlappingChange() async throws {
        let alone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let settings = CounterSettings()
            settings.list = [1, 2]
            settings.list.removeAll { _ in
                settings.list = [7]
                return false
            }
        }
        let inUpdate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            let settings = try await store.group(CounterSettings.self)
            try settings.update {
                settings.list = [1, 2]
                settings.list.removeAll { _ in
                    settings.list.append(7)
                    return false
                }
            }
        }
        for result in [alone, inUpdate] {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("A setting was written while it was being changed in place"))
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let error = #expect(throws: SettingsError.self) {
            try settings.$count.modify { count in
                settings.count += 10
                count += 1
            }
        }
        #expect(error?.code == .overlappingChange && error?.key == "count" && settings.count == 10)
    }

    @Test("A suspended change in place stops the program as soon as it could be noticed")
    func suspendedChange() async throws {
        // The change waits for a write on another thread, which waits for the change.
        let circle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let settings = CounterSettings()
            await changeOnMainActor(settings) { await Task.detached { settings.list = [1] }.value }
        }
        // Another task of the actor writes on the same thread.
        let sameThread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let settings = CounterSettings()
            await changeOnMainActor(settings) { await Task { @MainActor in settings.count = 5 }.value }
        }
        for result in [circle, sameThread] {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("a setting can't be passed inout to an async function"))
        }
    }

    @Test("Two threads that write two settings inside each other in opposite orders do not deadlock")
    func oppositeOrders() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for settings in [try await store.group(OuterSettings.self), OuterSettings()] {
            settings.inner.list = [0]
            settings.inner.table = ["a": 0]
            async let first: Void = onThread {
                for _ in 0..<2_000 {
                    settings.inner.list.withEach { settings.inner.table["a", default: 0] += 1 }
                }
            }
            async let second: Void = onThread {
                for _ in 0..<2_000 {
                    settings.inner.table.withEach { settings.inner.list[0] += 1 }
                }
            }
            _ = await (first, second)
            // Each outer write only overwrites what came in between inside itself, so both have ended.
            #expect(settings.inner.list.count == 1 && settings.inner.table.count == 1)
        }
    }

    @Test("Opposite orders do not deadlock while an unopened group is first used as a whole")
    func oppositeOrdersWhileUniting() async throws {
        for _ in 0..<300 {
            let settings = OuterSettings()
            settings.inner.list = [0]
            async let first: Void = onThread { settings.inner.list.withEach { settings.inner.count += 1 } }
            async let second: Void = onThread { settings.inner.table.withEach { settings.title += "!" } }
            async let third: Void? = onThread {
                try? settings.update {
                    settings.inner.count += 1
                    settings.title += "?"
                }
            }
            _ = await (first, second, third)
            #expect(settings.inner.count == 2)
            #expect(settings.title.count == 7)
        }
    }

    @Test("A throw from a change in place keeps the changes so far and releases the writer lock")
    func throwInPlace() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for settings in [try await store.group(CounterSettings.self), CounterSettings()] {
            #expect(throws: TestFailure(number: 5)) {
                try append(1, to: &settings.list, thenThrow: TestFailure(number: 5))
            }
            #expect(settings.list == [1])
            await onThread { settings.list.append(2) }
            #expect(settings.list == [1, 2])
        }
    }

    @Test("A throw from modify writes nothing")
    func throwInModify() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        #expect(throws: TestFailure()) {
            try settings.$list.modify { list in
                list.append(1)
                throw TestFailure()
            }
        }
        #expect(settings.list.isEmpty && store.revision == 0)
        let count = try settings.$list.modify { list in
            list.append(1)
            return list.count
        }
        #expect(count == 1 && settings.list == [1])
    }

    @Test("Writing an equal value is no change: no revision, no event, no save")
    func equalValues() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let recorder = ChangeRecorder(store.changes)
        settings.count = 0
        settings.count += 0
        settings.name = ""
        settings.list.removeAll()
        try settings.$count.set(0)
        try settings.$name.modify { $0 = "" }
        try settings.update {
            settings.count = 0
            settings.name = ""
            settings.list.append(1)
            settings.list.removeLast()
        }
        try settings.update {
            settings.count = 9
            settings.count = 0
        }
        try store.keys.setValue(0, forKey: "count")
        #expect(store.revision == 0)
        try await store.flush()
        clock.advance(by: .seconds(10))
        #expect(recording.batches.isEmpty)
        settings.count = 1
        #expect(await recorder.next()?.revision == 1)
        #expect(recorder.elements.count == 1)
        #expect(recorder.elements.first?.mutations.map(\.key) == ["count"])
    }

    @Test("Every write of a type that is not Equatable is a change")
    func withoutEquality() async throws {
        struct Opaque: Codable, Sendable { var text = "" }
        struct Group: SettingsGroup { @Setting var opaque = Opaque() }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Group.self)
        settings.opaque = Opaque()
        settings.opaque.text = ""
        #expect(store.revision == 2)
    }
}

extension MutableCollection {
    /// Mutates in place and runs a closure in the middle.
    mutating func withEach(_ body: () -> Void) {
        for index in indices { self[index] = self[index] }
        body()
    }
}

extension Dictionary {
    /// Mutates in place and runs a closure in the middle.
    mutating func withEach(_ body: () -> Void) {
        reserveCapacity(count)
        body()
    }
}

private func change(_ value: inout Int, _ suspending: @Sendable () async -> Void) async {
    await suspending()
    value += 1
}

@MainActor
private func changeOnMainActor(_ settings: CounterSettings, _ suspending: @Sendable () async -> Void) async {
    await change(&settings.count, suspending)
}
