import Settle
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct WatchMachineTests {
    private var machine = WatchMachine(delays: .seconds(1)...Duration.seconds(30))

    private mutating func receive(_ text: String) -> [WatchMachine.Action] {
        machine.receive(Array(text.utf8), now: .zero)
    }

    @Test("The delays double up to the longest and begin anew after a minute")
    mutating func growingDelays() {
        let delays = (0..<7).map { _ in machine.failed(now: .zero, random: 1) }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
        #expect(machine.failed(now: .zero, random: 0) == .seconds(15))
        machine.open(now: .zero)
        _ = receive("{\"result\":{\"header\":{\"revision\":\"3\"},\"created\":true}}\n")
        #expect(machine.failed(now: .seconds(59), random: 1) == .seconds(30))
        machine.open(now: .zero)
        _ = machine.receive(
            Array("{\"result\":{\"header\":{\"revision\":\"3\"},\"created\":true}}\n".utf8), now: .seconds(60))
        #expect(machine.failed(now: .seconds(120), random: 1) == .seconds(1))
    }

    @Test("A refused watch is no open one") mutating func refusedWatch() {
        machine.open(now: .zero)
        let actions = receive(
            "{\"result\":{\"header\":{},\"created\":true,\"canceled\":true,\"cancel_reason\":\"invalid auth token\"}}\n"
        )
        #expect(actions == [.ended(reason: "invalid auth token", isUnauthenticated: true)])
        #expect(machine.state == .ended(.authenticate))
    }

    @Test("The loss of the leader ends the stream") mutating func lostLeader() {
        machine.open(now: .zero)
        let actions = receive(
            "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\",\"http_status\":\"x\"}}\n"
        )
        #expect(actions == [.ended(reason: "etcdserver: no leader", isUnauthenticated: false)])
    }

    @Test("The last line may lack its end") mutating func unfinishedLine() {
        machine.open(now: .zero)
        let line = "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\"}}"
        #expect(receive(line).isEmpty)
        let actions = machine.finish(now: .zero)
        #expect(actions == [.ended(reason: "etcdserver: no leader", isUnauthenticated: false)])
        machine.open(now: .zero)
        // One that is cut off is none.
        #expect(receive("{\"error\":{\"grpc_code\":14,").isEmpty)
        #expect(machine.finish(now: .zero).isEmpty)
    }

    @Test(
        "A refusal that may be of the token is told",
        arguments: [
            "rpc error: code = PermissionDenied desc = etcdserver: invalid auth token", "etcdserver: permission denied",
            "etcdserver: revision of auth store is old",
        ])
    mutating func refusedToken(_ reason: String) {
        machine.open(now: .zero)
        let actions = receive(
            "{\"result\":{\"header\":{},\"created\":true,\"canceled\":true,\"cancel_reason\":\"\(reason)\"}}\n")
        #expect(actions == [.ended(reason: reason, isUnauthenticated: true)])
    }

    @Test("A compacted beginning is told") mutating func compactedBeginning() {
        machine.open(now: .zero)
        let actions = receive(
            "{\"result\":{\"header\":{\"revision\":\"9\"},\"created\":true}}\n"
                + "{\"result\":{\"header\":{\"revision\":\"9\"},\"canceled\":true,\"compact_revision\":\"7\"}}\n")
        #expect(actions == [.opened(GatewayHeader(cluster: 0, revision: 9)), .compacted(at: 7)])
    }

    @Test("Fragments are one answer and a transaction is one update")
    mutating func fragments() {
        machine.open(now: .zero)
        _ = receive("{\"result\":{\"created\":true}}\n")
        let first = "{\"kv\":{\"key\":\"YQ==\",\"value\":\"MQ==\",\"mod_revision\":\"5\"}}"
        let second = "{\"type\":\"DELETE\",\"kv\":{\"key\":\"Yg==\",\"mod_revision\":\"5\"}}"
        #expect(receive("{\"result\":{\"fragment\":true,\"events\":[\(first)]}}\n").isEmpty)
        let actions = receive("{\"result\":{\"events\":[\(second)]}}\n")
        let pair = GatewayPair(key: [97], value: [49], createRevision: 0, modRevision: 5)
        #expect(
            actions == [
                .changed(
                    [Mirror.Update(revision: 5, puts: [pair], deletes: [[98]])], GatewayHeader(cluster: 0, revision: 0))
            ])
    }
}
