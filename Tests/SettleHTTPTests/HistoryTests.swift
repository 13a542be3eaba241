import Settle
import SettleHTTP
import Testing

@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    @Test("The history says who has changed what, newest first") func historySaysWhoChanged() async throws {
        let program = try await APIProgram()
        _ = await program.send("PATCH", "/settings/limits.burst", "5")
        _ = await program.send("DELETE", "/settings/limits.burst")
        let answer = await program.get("/settings/history")
        #expect(answer.status == 200)
        let entries = answer.array("entries")
        #expect(entries.count == 2)
        guard case .array(let changes)? = entries.last?["changes"] else {
            Issue.record("There are no changes.")
            return
        }
        #expect(changes.first?["key"] == .string("limits.burst") && changes.first?["new"] == .integer(5))
        #expect(changes.first?["old"] == nil)
        #expect(entries.first?["author"]?["name"] == .string("alice"))
        #expect(entries.first?["token"] == program.store.history.token.map { SettingValue.string($0.description) })
    }

    @Test("It is limited by key, time and number") func limitedKeyTimeNumber() async throws {
        let program = try await APIProgram()
        for value in 1...3 { _ = await program.send("PATCH", "/settings/limits.burst", "\(value)") }
        _ = await program.send("PATCH", "/settings/greeting", "\"x\"")
        #expect(await program.get("/settings/history?key=limits").array("entries").count == 3)
        #expect(await program.get("/settings/history?key=limits.burst&limit=2").array("entries").count == 2)
        #expect(await program.get("/settings/history?since=2000-01-01").array("entries").count == 4)
        for time in ["2999-01-01T00:00:00Z", "2999-01-01T00:00:00.5Z", "2999-01-01T02:00:00%2B02:00"] {
            let answer = await program.get("/settings/history?since=\(time)")
            #expect(answer.status == 200 && answer.array("entries").isEmpty, "\(time)")
        }
    }

    @Test(
        "Other parameters are refused",
        arguments: [
            "limit=0", "limit=1001", "limit=x", "since=yesterday", "since=2026-11-22T10:00",
            "since=2026-11-22T10:00:00+02:00", "since=2026-11-22T10:00:00Zx", "since=2026-11-22x", "key=", "key=a..b",
            "token=1",
        ])
    func otherParametersRefused(query: String) async throws {
        let program = try await APIProgram()
        #expect(await program.get("/settings/history?\(query)").status == 400)
    }

    @Test("A store without a history has none") func storeWithoutHistoryNone() async throws {
        let program = try await APIProgram(history: .none)
        let answer = await program.get("/settings/history")
        #expect(answer.status == 404 && answer.problem == "no-history")
    }

    @Test("An undo restores, and is a transaction itself") func undoRestoresTransactionItself() async throws {
        let program = try await APIProgram()
        let token = try #require(await program.send("PATCH", "/settings/limits.burst", "5").string("token"))
        let answer = await program.send("POST", "/settings/undo/\(token)")
        #expect(answer.status == 200 && answer.array("keys") == [.string("limits.burst")])
        #expect(answer.string("undone") == token && program.app.limits.burst == 1000)
        let redone = await program.send("POST", "/settings/undo/\(answer.string("token") ?? "")")
        #expect(redone.status == 200 && program.app.limits.burst == 5)
    }

    @Test("An undo with a condition is refused", arguments: ["If-Match", "If-None-Match"])
    func undoWithCondition(name: String) async throws {
        let program = try await APIProgram()
        let change = await program.send("PATCH", "/settings/limits.burst", "5")
        let (token, tag) = (try #require(change.string("token")), try #require(change.field("ETag")))
        let answer = await program.send("POST", "/settings/undo/\(token)", "", (name, tag))
        #expect(answer.status == 400 && answer.problem == "invalid-request")
        #expect(program.app.limits.burst == 5)
    }

    @Test("Newer values stay unless the undo is forced") func newerValuesStayUnless() async throws {
        let program = try await APIProgram()
        let token = try #require(await program.send("PATCH", "/settings/limits.burst", "5").string("token"))
        _ = await program.send("PATCH", "/settings/limits.burst", "6")
        let answer = await program.send("POST", "/settings/undo/\(token)")
        #expect(answer.status == 409 && answer.problem == "nothing-to-undo")
        #expect(answer.array("conflicts").first?["now"] == .integer(6) && program.app.limits.burst == 6)
        #expect(await program.send("POST", "/settings/undo/\(token)?force=true").status == 200)
        #expect(program.app.limits.burst == 1000)
    }

    @Test("A transaction that the history no longer has is gone") func transactionGone() async throws {
        let program = try await APIProgram(history: .keep(transactions: 2))
        let token = try #require(await program.send("PATCH", "/settings/limits.burst", "1").string("token"))
        for value in 2...4 { _ = await program.send("PATCH", "/settings/limits.burst", "\(value)") }
        for client in ["alice", "carol"] {
            let answer = await program.send("POST", "/settings/undo/\(token)", by: client)
            #expect(answer.status == 410 && answer.problem == "forgotten-transaction")
        }
        #expect(program.app.limits.burst == 4)
    }

    @Test("An unknown transaction is not undone") func unknownTransactionUndone() async throws {
        let program = try await APIProgram()
        _ = await program.send("PATCH", "/settings/limits.burst", "5")
        #expect(await program.send("POST", "/settings/undo/x").problem == "unknown-transaction")
        let token = try #require(program.store.history.token)
        let other = ChangeToken(history: token.history &+ 1, position: 1, checksum: 1)
        #expect(await program.send("POST", "/settings/undo/\(other)").status == 404)
        let secret = try #require(
            await program.send("PATCH", "/settings/admin.password", "\"another\"").string("token"))
        let answer = await program.send("POST", "/settings/undo/\(secret)")
        #expect(answer.status == 422 && answer.problem == "not-undoable")
    }
}
