import Settle
import Testing

@testable import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct GatewayWriterTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// As the general writer of JSON spells it.
    private func respelled(_ bytes: [UInt8]) throws -> String {
        text([UInt8](try SettingValue(json: Data(bytes)).json()))
    }

    private let everything = TransactionRequest(
        comparisons: [
            Comparison(key: [1], target: .modified(at: 7)),
            Comparison(key: [0, 255], end: [1, 0], target: .unmodified(since: .max)),
            Comparison(key: Array("lock".utf8), target: .created(at: 0)),
        ],
        success: [
            .put(key: Array("a".utf8), value: []), .put(key: Array("b".utf8), value: Array("{}".utf8), lease: -5),
            .delete(key: Array("c".utf8)), .delete(key: Array("d".utf8), end: Array("e".utf8)),
        ],
        failure: [
            .range(RangeRequest(key: [])),
            .range(RangeRequest(key: [9], end: [10], revision: 3, minModRevision: 4, keysOnly: true)),
        ])

    @Test("A transaction is spelled as the gateway reads it") func spelledTransaction() throws {
        #expect(
            text(everything.json) == """
                {"compare":[{"key":"AQ==","mod_revision":"7","result":"EQUAL","target":"MOD"},\
                {"key":"AP8=","mod_revision":"9223372036854775807","range_end":"AQA=","result":"LESS","target":"MOD"},\
                {"create_revision":"0","key":"bG9jaw==","result":"EQUAL","target":"CREATE"}],\
                "failure":[{"request_range":{"key":""}},\
                {"request_range":{"key":"CQ==","keys_only":true,"min_mod_revision":"4","range_end":"Cg==","revision":"3"}}],\
                "success":[{"request_put":{"key":"YQ==","value":""}},\
                {"request_put":{"key":"Yg==","lease":"-5","value":"e30="}},\
                {"request_delete_range":{"key":"Yw=="}},{"request_delete_range":{"key":"ZA==","range_end":"ZQ=="}}]}
                """)
        #expect(text(TransactionRequest().json) == #"{"compare":[],"failure":[],"success":[]}"#)
    }

    @Test("Requests are spelled as the general writer spells them") func sameAsGeneralWriter() throws {
        let watch = WatchMachine.request(KeySpace(prefix: "/p"), from: 12)
        let range = RangeRequest(key: [1, 2], end: [3], revision: 5, minModRevision: 2, keysOnly: true)
        for json in [everything.json, TransactionRequest().json, watch, range.json] {
            #expect(try respelled(json) == text(json))
        }
        #expect(
            text(watch)
                == #"{"create_request":{"fragment":true,"key":"L3Av","range_end":"L3Aw","start_revision":"12"}}"#)
    }

    @Test("Bytes of any length come back") func encodedBytes() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let json = GatewayWriter.object { $0.field("key", bytes) }
            #expect(GatewayObject(json)?.bytes("key") == bytes)
            #expect(text(json) == #"{"key":"\#(Data(bytes).base64EncodedString())"}"#)
        }
    }
}
