import Settle
import Testing

@testable import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct IdempotencyTests {
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

    @Test("A key belongs to one media type") func keyBelongsOneMedia() async throws {
        let program = try await APIProgram()
        let target = "/settings/limits.ports"
        #expect(await program.send("PATCH", target, "{}", key).status == 200)
        let patch = ("Content-Type", "application/merge-patch+json")
        #expect(await program.send("PATCH", target, "{}", key, patch).problem == "idempotency-key-reused")
    }

    @Test("An answer is not given to a client whose rights have changed") func answerGivenClientWhose() async throws {
        let program = try await APIProgram()
        #expect(await program.send("PATCH", "/settings/greeting", "\"x\"", key).status == 200)
        try await program.store.commit {
            program.app.admin.tokens = Secret(["alice": APIToken("alice-0123456789abcdef", keys: ["limits"])])
        }
        let answer = await program.send("PATCH", "/settings/greeting", "\"x\"", key)
        #expect(answer.status == 422 && answer.problem == "idempotency-key-reused")
    }

    @Test("A client that sends many keys loses its own answers, by number and by size", arguments: [(3, 1), (99, 100)])
    func clientSendsManyKeys(limit: Int, size: Int) {
        let store = IdempotencyStore(limit: limit, sizeLimit: 300, lifetime: 60)
        let now = Date(timeIntervalSince1970: 0)
        func key(_ client: String, _ number: Int) -> IdempotencyStore.Key {
            IdempotencyStore.Key(client: client, text: "\(number)")
        }
        func isAnswered(_ key: IdempotencyStore.Key) -> Bool {
            if case .answered = store.admit(key, "", at: now) { true } else { false }
        }
        _ = store.admit(key("alice", 0), "", at: now)
        for (client, number) in [("alice", 1)] + (1...5).map({ ("carol", $0) }) {
            _ = store.admit(key(client, number), "", at: now)
            let answer = WebResponse(200, [], .bytes(Array(repeating: 0, count: size)))
            store.finish(key(client, number), with: answer)
        }
        #expect(isAnswered(key("alice", 1)) && isAnswered(key("carol", 5)))
        #expect(!isAnswered(key("carol", 1)))
        // The one in progress is not forgotten.
        guard case .inProgress = store.admit(key("alice", 0), "", at: now) else {
            Issue.record("The request would be made again.")
            return
        }
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
