import Settle
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10)))
struct GatewayObjectTests {
    private func object(_ text: String) -> GatewayObject { GatewayObject(Array(text.utf8)) ?? GatewayObject() }

    @Test func integersAreTextsOrNumbers() {
        let object = object(#"{"a":"15117744026326526001","b":-3,"c":"9223372036854775807","d":15117744026326526001}"#)
        #expect(object.unsigned("a") == 15_117_744_026_326_526_001)
        #expect(object.unsigned("d") == 15_117_744_026_326_526_001)
        #expect(object.signed("b") == -3)
        #expect(object.signed("c") == .max)
    }

    @Test func whatIsMissingIsZeroFalseOrEmpty() {
        let empty = object("{}")
        #expect(empty.signed("a") == 0 && empty.unsigned("a") == 0 && !empty.bool("a"))
        #expect(empty.text("a") == "" && empty.bytes("a").isEmpty && empty.objects("a").isEmpty)
        #expect(empty.object("a") == nil)
        #expect(TransactionAnswer(empty) == TransactionAnswer(object(#"{"succeeded":false,"responses":[]}"#)))
        let pair = GatewayPair(object(#"{"key":"YQ=="}"#))
        #expect(pair == GatewayPair(key: [97], value: [], createRevision: 0, modRevision: 0))
    }

    @Test func onlySomeErrorsSayThatNothingHasHappened() {
        func kind(_ status: Int, _ body: String) -> GatewayFailure.Kind {
            GatewayFailure(status: status, body: Array(body.utf8), endpoint: "e").kind
        }
        #expect(kind(400, #"{"error":"etcdserver: request is too large","code":3}"#) == .refused(code: 3))
        #expect(kind(503, #"{"error":"etcdserver: request timed out","code":14}"#) == .unanswered)
        #expect(kind(500, #"{"error":"x","code":2}"#) == .unanswered)
        #expect(kind(502, "<html>") == .unanswered)
        #expect(kind(404, "404 page not found") == .refused(code: 12))
        #expect(kind(401, #"{"error":"etcdserver: invalid auth token","code":16}"#) == .refused(code: 16))
    }

    @Test func keysOfOtherPrefixesAndBytesThatAreNoTextAreNone() {
        let space = KeySpace(prefix: "/p")
        #expect(space.prefix == "/p/")
        #expect(space.name(of: Array("/p/a.b".utf8)) == "a.b")
        #expect(space.name(of: Array("/pa".utf8)) == nil)
        #expect(space.name(of: Array("/p/".utf8) + [0xFF]) == nil)
        #expect(KeySpace.kind(of: "a.b") == .setting("a.b"))
        #expect(KeySpace.kind(of: "$settle.migrations") == .setting("$settle.migrations"))
        #expect(KeySpace.kind(of: "$settle/locks/job") == .lock("job"))
        for name in ["", "a..b", ".", "a.\\b", "$settle/other"] { #expect(KeySpace.kind(of: name) == .unknown) }
    }

    @Test func linesComeTogetherFromAnyPieces() {
        let bytes = Array("ab\n\nc\nde".utf8)
        for size in 1...bytes.count {
            var splitter = LineSplitter()
            var lines: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                lines += splitter.add(bytes[start..<min(bytes.count, start + size)])
            }
            #expect(lines == [Array("ab".utf8), Array("c".utf8)])
        }
    }
}
