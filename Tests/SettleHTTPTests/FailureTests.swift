import Settle
import SettleTesting
import Testing

@testable import SettleHTTP

/// Answers while the storage fails.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    private let storage = FailingStorage(InMemoryStorage())
    private let error = StorageError(.noSpace, "The disk is full.")

    private func open() async throws -> (store: SettingsStore, api: SettingsAPI) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        return (store, SettingsAPI(store, groups: APIProgram.Limits.self, configuration: .init(access: .open)))
    }

    private func send(
        _ method: String, _ target: String, _ body: String = "", to api: SettingsAPI,
        _ headers: (name: String, value: String)...
    ) async -> Answer {
        let fields = [(name: "Host", value: "localhost")] + headers
        return Answer(
            response: await api.respond(
                to: WebRequest(method: method, target: target, headers: fields, body: Array(body.utf8))))
    }

    @Test("A commit that can't begin is 503, and has changed nothing") func commitCantBegin() async throws {
        let (store, api) = try await open()
        #expect(await send("PATCH", "/settings/burst", "5", to: api).status == 200)
        storage.fail(.lock, with: error)
        let answer = await send("PATCH", "/settings/burst", "6", to: api)
        #expect(answer.status == 503 && answer.problem == "not-saved" && answer.field("Retry-After") == "5")
        #expect(answer.string("detail")?.contains("nothing has changed") == true)
        #expect(answer.string("detail")?.contains("in effect") == false)
        #expect(await send("GET", "/settings/burst", to: api).value("value") == .integer(5))
        storage.heal()
        try await store.close()
    }

    @Test("A request that is cancelled before its commit is 503, and has changed nothing") func cancelledRequest()
        async throws
    {
        let (store, api) = try await open()
        #expect(await send("PATCH", "/settings/burst", "5", to: api).status == 200)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await send("PATCH", "/settings/burst", "6", to: api)
        }
        let answer = await task.value
        #expect(answer.status == 503 && answer.problem == "not-saved")
        #expect(await send("GET", "/settings/burst", to: api).value("value") == .integer(5))
        try await store.close()
    }

    @Test("An undo that is cancelled before its commit is 503, and has changed nothing") func cancelledUndo()
        async throws
    {
        let (store, api) = try await open()
        let token = try #require(await send("PATCH", "/settings/burst", "5", to: api).string("token"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await send("POST", "/settings/undo/\(token)", to: api)
        }
        let answer = await task.value
        #expect(answer.status == 503 && answer.problem == "not-saved")
        #expect(await send("GET", "/settings/burst", to: api).value("value") == .integer(5))
        #expect(await send("POST", "/settings/undo/\(token)", to: api).status == 200)
        try await store.close()
    }

    @Test("Of many tags, only the newest is tried") func onlyNewestTagTried() async throws {
        let (store, api) = try await open()
        var tags: [String] = []
        for value in 1...4 {
            let answer = await send("PATCH", "/settings/burst", "\(value)", to: api)
            tags.append(try #require(answer.field("ETag")))
        }
        tags.swapAt(2, 3)
        // A second commit could not begin.
        storage.fail(.lock, with: error, skipping: 1)
        let list = tags.joined(separator: ", ")
        #expect(await send("PATCH", "/settings/burst", "5", to: api, ("If-Match", list)).status == 200)
        storage.heal()
        try await store.close()
    }

    @Test("A repeated change is not answered as made while it can't be saved") func repeatedChangeNotSaved()
        async throws
    {
        let (store, api) = try await open()
        let first = await send("PATCH", "/settings/burst", "5", to: api)
        let tag = try #require(first.field("ETag"))
        // It may have been stored, so it stays in force.
        let lost = StorageError(.unavailable, "There is no connection.", isOutcomeUnknown: true)
        storage.fail(.append, with: lost)
        #expect(await send("PATCH", "/settings/burst", "6", to: api, ("If-Match", tag)).status == 503)
        #expect(await send("GET", "/settings/burst", to: api).value("value") == .integer(6))
        #expect(await send("PATCH", "/settings/burst", "6", to: api, ("If-Match", tag)).status == 503)
        storage.heal()
        #expect(await send("PATCH", "/settings/burst", "6", to: api, ("If-Match", tag)).status == 200)
        try await store.close()
    }

    @Test("A repeated request is refused while the first one is still being answered") func keyInUse() async throws {
        let (store, api) = try await open()
        let key = ("Idempotency-Key", "one")
        #expect(await send("PATCH", "/settings/burst", "5", to: api).status == 200)
        let hold = storage.hold(.append)
        let first = Task { await send("PATCH", "/settings/burst", "6", to: api, key) }
        await hold.waitUntilReached()
        let second = await send("PATCH", "/settings/burst", "6", to: api, key)
        #expect(second.status == 409 && second.problem == "idempotency-key-in-use")
        hold.release()
        #expect(await first.value.status == 200)
        let third = await send("PATCH", "/settings/burst", "6", to: api, key)
        #expect(third.status == 200 && third.field("Idempotency-Replayed") == "true")
        try await store.close()
    }

    @Test(
        "An error of a commit has the status of its cause",
        arguments: [
            (SettingsError.Code.commitNotBegun, 503), (.tooManyConflicts, 503), (.lockLost, 503), (.storage, 503),
            (.tooManyKeys, 413), (.tooManyBytes, 413), (.invalidValue, 422), (.unreachable, 500),
        ] as [(SettingsError.Code, Int)])
    func errorStatusCause(code: SettingsError.Code, status: Int) {
        let problem = Problem(SettingsError(code, "It failed."))
        #expect(problem.kind.status == status)
        #expect(problem.headers.contains { $0.name == "Retry-After" } == (status == 503))
        // Only a change whose outcome is not known may be in effect.
        #expect(problem.detail.contains("in effect") == (code == .storage))
    }
}
