import Settle
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct GatewayObjectTests {
    private func object(_ text: String) -> GatewayObject { GatewayObject(Array(text.utf8)) ?? GatewayObject() }

    @Test("Integers are texts or numbers") func integers() {
        let object = object(#"{"a":"15117744026326526001","b":-3,"c":"9223372036854775807","d":15117744026326526001}"#)
        #expect(object.unsigned("a") == 15_117_744_026_326_526_001)
        #expect(object.unsigned("d") == 15_117_744_026_326_526_001)
        #expect(object.signed("b") == -3)
        #expect(object.signed("c") == .max)
    }

    @Test("What is missing is zero false or empty") func missingFields() {
        let empty = object("{}")
        #expect(empty.signed("a") == 0 && empty.unsigned("a") == 0 && !empty.bool("a"))
        #expect(empty.text("a") == "" && empty.bytes("a").isEmpty && empty.objects("a").isEmpty)
        #expect(empty.object("a") == nil)
        #expect(TransactionAnswer(empty) == TransactionAnswer(object(#"{"succeeded":false,"responses":[]}"#)))
        let pair = GatewayPair(object(#"{"key":"YQ=="}"#))
        #expect(pair == GatewayPair(key: [97], value: [], createRevision: 0, modRevision: 0))
    }

    @Test("Only some errors say that nothing has happened") func certainErrors() {
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

    @Test("A name is the rest of a key after the prefix") func namesBelowPrefix() {
        let space = KeySpace(prefix: "/p")
        #expect(space.prefix == "/p/")
        #expect(space.name(of: Array("/p/a.b".utf8)) == "a.b")
        #expect(space.name(of: Array("/pa".utf8)) == nil)
        #expect(KeyName("a.b").kind == .setting("a.b"))
        #expect(KeyName("$settle.migrations").kind == .setting("$settle.migrations"))
        #expect(KeyName("$settle/locks/job").kind == .lock("job"))
        for name in ["", "a..b", ".", "a.\\b", "$settle/other"] as [KeyName] {
            #expect(name.kind == .unknown("its name is not a setting's key"))
        }
        #expect(space.name(of: Array("/p/".utf8) + [0xFF])?.kind == .unknown("its name is not UTF-8"))
    }

    @Test("Names and prefixes are compared by their bytes") func comparedByBytes() {
        let (composed, decomposed): (KeyName, KeyName) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed != decomposed && composed.text == decomposed.text)
        #expect(composed.kind == .setting("caf\u{E9}") && decomposed.kind == .setting("cafe\u{301}"))
        #expect(KeySpace(prefix: "/caf\u{E9}/") != KeySpace(prefix: "/cafe\u{301}/"))
        // For Swift, a slash with an accent is one character, which is not a slash.
        #expect(KeySpace(prefix: "/p/\u{301}").prefix.utf8.count == 6)
        #expect(KeyName("$settle/locks/\u{301}").kind == .lock("\u{301}"))
        let listed = KeyName.byText([composed: "1", decomposed: "2", "a%b": "3"])
        #expect(listed == ["caf%C3%A9": "1", "cafe%CC%81": "2", "a%b": "3"])
    }

    @Test("Lines come together from any pieces") func splitLines() {
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
