import Settle
import SettleTestSupport
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct BatchPlanTests {
    private let space = KeySpace(prefix: "/p")

    private func mirror(_ values: [String: String], revision: Int64 = 9) -> Mirror {
        var mirror = Mirror(space)
        mirror.replace(
            with: values.map { name, text in
                GatewayPair(key: space.key(KeyName(name)), value: Array(text.utf8), createRevision: 3, modRevision: 5)
            }, header: GatewayHeader(cluster: 1, revision: revision))
        return mirror
    }

    private func plan(_ values: [SettingKey: SettingValue?], over mirror: Mirror) throws -> BatchPlan {
        try BatchPlan(values, over: mirror, client: "me", marker: Marker(session: 7))
    }

    private func writes(_ plan: BatchPlan) -> [String] {
        plan.request.success.compactMap { operation in
            switch operation {
            case .put(let key, let value, _):
                let name = space.name(of: key)?.text ?? ""
                return name.hasPrefix("$settle/") ? nil : "\(name) = \(String(decoding: value, as: UTF8.self))"
            case .delete(let key, let end): return "delete \(space.name(of: key)?.text ?? "")\(end == nil ? "" : "…")"
            case .range: return nil
            }
        }
    }

    @Test("A batch of outer and inner keys writes each key once") func outerAndInnerKeys() throws {
        let plan = try plan(
            ["g": .dictionary(["x": .integer(1)]), "g.y": .integer(2), "g.x": nil, "h.i": .integer(3)],
            over: mirror([:]))
        #expect(writes(plan) == ["g = {\"y\":2}", "h.i = 3"])
    }

    @Test("A key in a stored dictionary rewrites it") func keyInDictionary() throws {
        let stored = mirror(["g": "{\"x\":1,\"y\":1}", "g.z": "1"])
        #expect(
            writes(try plan(["g.x": .integer(2)], over: stored)) == ["delete g.z", "g = {\"x\":2,\"y\":1,\"z\":1}"])
        #expect(writes(try plan(["g": nil], over: stored)) == ["delete g.z", "delete g"])
        #expect(writes(try plan(["g.x": nil, "g.y": nil, "g.z": nil], over: stored)) == ["delete g.z", "delete g"])
    }

    @Test("Many keys within are deleted as a range") func deletedRange() throws {
        var stored: [String: String] = [:]
        for index in 0..<40 { stored["g.k\(index)"] = "1" }
        #expect(writes(try plan(["g": .integer(1)], over: mirror(stored))) == ["delete g.…", "g = 1"])
    }

    @Test("What is not there needs no deletion") func nothingToDelete() throws {
        #expect(writes(try plan(["g": nil], over: mirror([:]))).isEmpty)
    }

    private func exact(
        _ values: [SettingKey: SettingValue?] = ["k1": .integer(2)], over mirror: Mirror, reading: Set<SettingKey>?
    ) throws -> BatchPlan {
        try BatchPlan(values, over: mirror, client: "me", marker: Marker(session: 7), reads: reading)
    }

    @Test("What a batch writes is compared with marker and head") func comparedWrites() throws {
        let stored = mirror(["a.b": "1", "$settle/markers/me": Self.marker, "$settle/head": ""])
        let plan = try plan(["a.b": .integer(2)], over: stored)
        let all = Array("/p0".utf8)
        #expect(
            plan.request.comparisons == [
                Comparison(key: space.key("$settle/markers/me"), target: .modified(at: 5)),
                Comparison(key: space.key("$settle/head"), target: .modified(at: 5)),
                Comparison(key: space.key("a"), target: .modified(at: 0)),
                Comparison(key: space.key("a.b"), target: .modified(at: 5)),
                Comparison(key: space.key("a.b."), end: space.key("a.b/"), target: .unmodified(since: 10)),
            ])
        #expect(!plan.comparesAll)
        #expect(plan.request.failure == [.range(RangeRequest(key: space.key(""), end: all, minModRevision: 10))])
        #expect(plan.puts.map { space.name(of: $0.key)?.text } == ["a.b", "$settle/markers/me", "$settle/head"])
    }

    @Test("What a batch has read is compared with what is within it") func comparedReads() throws {
        let stored = mirror(["k1": "1", "read": "1", "read.inner": "1", "other": "1"])
        let plan = try exact(over: stored, reading: ["read", "missing"])
        let names = plan.request.comparisons.dropFirst(2).compactMap { space.name(of: $0.key)?.text }
        #expect(names == ["k1", "missing", "read", "read.inner", "k1.", "missing.", "read."])
    }

    @Test("A batch that may have read anything compares the prefix") func comparedPrefix() throws {
        func names(_ count: Int, reading: Set<SettingKey>?) throws -> [String] {
            let stored = mirror(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "1") }))
            let plan = try exact(["k1": .integer(2), "new": .integer(1)], over: stored, reading: reading)
            #expect(plan.comparesAll && plan.request.comparisons.count <= 120)
            return plan.request.comparisons.dropFirst(3).compactMap { space.name(of: $0.key)?.text }
        }
        #expect(try names(3, reading: nil) == ["k1", "k0", "k2"])
        let many = try names(300, reading: nil)
        #expect(many.count == 117 && Set(many).count == 117 && many.first == "k1")
        // So do too many keys.
        #expect(try names(3, reading: Set((0..<100).map { .path("k\($0)") })) == ["k1", "k0", "k2"])
    }

    @Test("The price of a batch does not depend on the number of keys") func priceOfBatch() throws {
        func comparisons(_ count: Int) throws -> [Comparison] {
            let stored = mirror(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "1") }))
            return try exact(over: stored, reading: ["k0", "k2"]).request.comparisons
        }
        let few = try comparisons(10)
        #expect(try few == comparisons(10_000) && few.allSatisfy { $0.key != space.key("") })
    }

    @Test("More settings make no commit slower") func moreSettings() throws {
        func seconds(_ body: () throws -> Void) rethrows -> Double {
            let start = secondsOnProcessor()
            try body()
            return secondsOnProcessor() - start
        }
        let pairs = (0..<20_000).map { number in
            GatewayPair(
                key: space.key(KeyName("k\(number)")), value: [UInt8(ascii: "1")], createRevision: 3, modRevision: 5)
        }
        var stored = Mirror(space)
        let reading = seconds { stored.replace(with: pairs, header: GatewayHeader(cluster: 1, revision: 9)) }
        for reads in [nil, ["k2"]] as [Set<SettingKey>?] {
            let planning = try seconds { for _ in 0..<20 { _ = try exact(over: stored, reading: reads) } }
            // To look at every setting each time took longer than to read them.
            #expect(planning < reading)
        }
    }

    private static let marker = "{\"session\":\"7\",\"store\":\"1\",\"batch\":\"2\",\"author\":\"carol\"}"

    @Test("A marker comes back as it was") func encodedMarker() throws {
        let id = StorageBatch.ID(store: .max, number: 3)
        var marker = Marker(session: .max, batch: id, author: "carol", time: 0.5, barrier: 9)
        #expect(Marker(marker.bytes) == marker)
        let undone = ChangeToken(history: 1, position: 2, checksum: 3)
        marker.details = TransactionDetails(
            program: "fleet", process: .max, user: "root", isReset: true, undone: undone, reason: "not confirmed",
            isOwners: true)
        #expect(Marker(marker.bytes) == marker)
        #expect(Marker(Array("5".utf8)) == nil)
        #expect(Marker(Array("{}".utf8)) == nil)
    }
}
