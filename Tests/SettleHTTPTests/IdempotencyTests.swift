import Settle
import SettleHTTP
import Testing

@Suite struct IdempotencyTests {
    private let key = ("Idempotency-Key", "\"4f3c\"")

    @Test("A repeated write is answered and not made again") func repeatedWriteAnsweredMade() async throws {
        let program = try await APIProgram()
        let first = await program.send("PATCH", "/settings/limits.burst", "5", key)
        try await program.store.commit { program.app.limits.burst = 6 }
        let second = await program.send("PATCH", "/settings/limits.burst", "5", key)
        #expect(first.status == 200 && second.status == 200 && second.text == first.text)
        #expect(first.field("Idempotency-Replayed") == nil && second.field("Idempotency-Replayed") == "true")
        #expect(program.app.limits.burst == 6)
        // With or without quotation marks, it is the same key.
        let bare = ("Idempotency-Key", "4f3c")
        #expect(await program.send("PATCH", "/settings/limits.burst", "5", bare).text == first.text)
    }

    @Test("A key belongs to one request of one client") func keyBelongsOneRequest() async throws {
        let program = try await APIProgram()
        _ = await program.send("PATCH", "/settings/limits.burst", "5", key)
        let body = await program.send("PATCH", "/settings/limits.burst", "6", key)
        #expect(body.status == 422 && body.problem == "idempotency-key-reused")
        #expect(await program.send("DELETE", "/settings/limits.burst", "", key).problem == "idempotency-key-reused")
        #expect(await program.send("PATCH", "/settings/limits.burst", "6", by: "carol", key).status == 200)
    }

    @Test("A refused write may be repeated") func refusedWriteMayRepeated() async throws {
        let program = try await APIProgram(managed: SettingTree())
        #expect(await program.send("PATCH", "/settings/limits.burst", "0", key).status == 422)
        #expect(await program.send("PATCH", "/settings/limits.burst", "5", key).status == 200)
    }

    @Test("An answer is forgotten after its time, and when there are too many") func answerForgottenAfterTime()
        async throws
    {
        let program = try await APIProgram {
            ($0.idempotencyLimit, $0.idempotencyLifetime) = (2, .seconds(60))
        }
        _ = await program.send("PATCH", "/settings/limits.burst", "5", key)
        program.time.pass(61)
        let late = await program.send("PATCH", "/settings/limits.burst", "6", key)
        #expect(late.status == 200 && program.app.limits.burst == 6)
        for number in 1...4 {
            _ = await program.send("PATCH", "/settings/greeting", "\"x\"", ("Idempotency-Key", "\(number)"))
        }
        #expect(await program.send("PATCH", "/settings/limits.burst", "7", key).status == 200)
    }

    @Test("Another text is refused", arguments: ["", "\"\"", "a b", "é"]) func anotherTextRefused(text: String)
        async throws
    {
        let program = try await APIProgram()
        let answer = await program.send("PATCH", "/settings/limits.burst", "5", ("Idempotency-Key", text))
        #expect(answer.status == 400 && program.app.limits.burst == 1000)
    }

    @Test("An undo is not made twice") func undoMadeTwice() async throws {
        let program = try await APIProgram()
        let token = try #require(await program.send("PATCH", "/settings/limits.burst", "5").string("token"))
        let first = await program.send("POST", "/settings/undo/\(token)", "", key)
        let second = await program.send("POST", "/settings/undo/\(token)", "", key)
        #expect(first.status == 200 && second.status == 200 && second.text == first.text)
    }
}
