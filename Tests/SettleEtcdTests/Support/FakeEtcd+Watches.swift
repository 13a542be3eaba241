import Foundation
import Settle
import Synchronization

@testable import SettleEtcd

/// Watches.
extension FakeEtcd {
    /// Adds a watch, and sends the events that it has missed.
    func watch(_ body: Bytes, token: String?, _ send: @escaping @Sendable (SettingValue) -> Void) -> Int {
        state.withLock { state in
            state.lastWatcher += 1
            let number = state.lastWatcher
            guard let request = GatewayObject(body)?.object("create_request") else { return number }
            func result(_ entries: SettingValue.Entries) -> SettingValue {
                var entries = entries
                entries["header"] = state.header
                return .dictionary(["result": .dictionary(entries)])
            }
            if state.password != nil, !state.tokens.contains(token ?? "") {
                send(
                    result([
                        "created": .bool(true), "canceled": .bool(true),
                        "cancel_reason": .string(state.watchRefusal),
                    ]))
                return number
            }
            send(result(["created": .bool(true)]))
            let start = request.signed("start_revision")
            if start > 0, start <= state.compacted {
                send(
                    result([
                        "canceled": .bool(true), "compact_revision": .gateway(state.compacted),
                    ]))
                return number
            }
            state.watchers[number] = Watcher(
                key: request.bytes("key"), end: request.entries["range_end"].map { _ in request.bytes("range_end") },
                next: start > 0 ? start : state.revision + 1, send: send)
            state.notify()
            return number
        }
    }

    func unwatch(_ number: Int) { state.withLock { $0.watchers[number] = nil } }

    var watcherCount: Int { state.withLock { $0.watchers.count } }
}

extension FakeEtcd.State {
    mutating func notify() {
        for (number, watcher) in watchers where watcher.next <= revision {
            for next in watcher.next...revision {
                let found = (events[next] ?? []).filter { Self.isWithin($0.key, watcher.key, watcher.end) }
                guard !found.isEmpty else { continue }
                let events = found.map { event -> SettingValue in
                    if let value = event.value { return .dictionary(["kv": Self.pair(event.key, value)]) }
                    return .dictionary([
                        "type": .string("DELETE"),
                        "kv": .dictionary(["key": .gateway(event.key), "mod_revision": .gateway(next)]),
                    ])
                }
                watcher.send(.dictionary(["result": .dictionary(["header": header, "events": .array(events)])]))
            }
            watchers[number]?.next = revision + 1
        }
    }
}
