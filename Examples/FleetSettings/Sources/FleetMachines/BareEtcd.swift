package import EtcdHTTP
import Foundation
import SettleEtcd

/// A client of etcd that knows nothing of settings: what comparisons are made with.
package struct BareEtcd: Sendable {
    private let transport: EtcdHTTPTransport
    private let endpoints: [String]
    private let prefix: String

    package init(_ transport: EtcdHTTPTransport, endpoints: [String], prefix: String) {
        self.transport = transport
        self.endpoints = endpoints
        self.prefix = prefix
    }

    /// What was stored at a key, or removed.
    package struct Event: Sendable {
        package var revision: Int
        package var key: String
        /// `nil` if it was removed.
        package var value: String?
    }

    /// Posts JSON to the first member that answers.
    package func post(_ path: String, _ body: String) async throws -> [String: Any] {
        var failure: any Error = MachineError("No endpoint is known.")
        for endpoint in endpoints {
            do {
                let request = EtcdRequest(endpoint: endpoint, path: path, body: Array(body.utf8))
                let answer = try await transport.call(request)
                guard answer.status == 200, let object = Self.object(answer.body) else {
                    throw MachineError("\(endpoint)\(path): \(String(decoding: answer.body, as: UTF8.self))")
                }
                return object
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Stores a value at a key under the prefix.
    ///
    /// - Returns: The revision.
    @discardableResult
    package func put(_ key: String, _ json: String) async throws -> Int {
        let body = #"{"key":"\#(Self.base64(prefix + key))","value":"\#(Self.base64(json))"}"#
        let answer = try await post("/v3/kv/put", body)
        return Self.number((answer["header"] as? [String: Any])?["revision"])
    }

    /// Stores values at keys under the prefix, in one transaction.
    package func put(_ values: [(key: String, json: String)]) async throws {
        let puts = values.map { key, json in
            #"{"request_put":{"key":"\#(Self.base64(prefix + key))","value":"\#(Self.base64(json))"}}"#
        }
        _ = try await post("/v3/kv/txn", #"{"success":[\#(puts.joined(separator: ","))]}"#)
    }

    /// What is stored at a key under the prefix; `nil` if there is none.
    package func value(at key: String) async throws -> String? {
        let answer = try await post("/v3/kv/range", #"{"key":"\#(Self.base64(prefix + key))"}"#)
        return (answer["kvs"] as? [[String: Any]])?.first.map { Self.text($0["value"]) }
    }

    /// Removes a key under the prefix.
    package func remove(_ key: String) async throws {
        _ = try await post("/v3/kv/deleterange", #"{"key":"\#(Self.base64(prefix + key))"}"#)
    }

    /// The cluster's newest revision.
    package func revision() async throws -> Int {
        let header = try await post("/v3/kv/range", #"{"key":"\#(Self.base64(prefix))"}"#)["header"] as? [String: Any]
        return Self.number(header?["revision"])
    }

    /// Everything that has happened under the prefix until now.
    package func events(from first: Int) async throws -> [Event] {
        // The last thing that the watch has to bring.
        let answer = try await post("/v3/kv/put", #"{"key":"\#(Self.base64("fence"))"}"#)
        let fence = Self.number((answer["header"] as? [String: Any])?["revision"])
        for _ in 1...Self.watchAttempts {
            if let events = try await events(from: first, to: fence) { return events }
        }
        throw MachineError("A watch from revision \(first) does not reach revision \(fence).")
    }

    /// How often a watch that has ended too early, or has stood still, is begun again.
    private static let watchAttempts = 10
    private static let watchPatience = Duration.seconds(15)

    /// - Returns: `nil` if the watch ends before, or brings nothing for a while: a member ends streams without a word,
    ///   and one that it has refused stays open.
    private func events(from first: Int, to fence: Int) async throws -> [Event]? {
        try await withThrowingTaskGroup(of: [Event]?.self) { group in
            group.addTask {
                var events: [Event] = []
                let everything = Self.base64("\0")
                for try await var event in watch(from: first, key: everything, end: everything) {
                    if event.revision >= fence { return events }
                    guard event.key.hasPrefix(prefix) else { continue }
                    event.key.removeFirst(prefix.count)
                    events.append(event)
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: Self.watchPatience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Follows what happens under the prefix, with whole keys.
    package func watch(from revision: Int) -> AsyncThrowingStream<Event, any Error> {
        let end = prefix.dropLast() + String(UnicodeScalar(prefix.utf8.last.map { $0 + 1 } ?? 0))
        return watch(from: revision, key: Self.base64(prefix), end: Self.base64(end))
    }

    private func watch(from revision: Int, key: String, end: String) -> AsyncThrowingStream<Event, any Error> {
        let body = #"{"create_request":{"key":"\#(key)","range_end":"\#(end)","start_revision":"\#(revision)"}}"#
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Event.self)
        let task = Task { [transport, endpoints] in
            var lines = Lines()
            var failure: any Error = MachineError("No endpoint is known.")
            // One that is down is left for the next. One that fails later ends the stream.
            for endpoint in endpoints {
                do {
                    let request = EtcdRequest(endpoint: endpoint, path: "/v3/watch", body: Array(body.utf8))
                    for try await bytes in try await transport.stream(request) {
                        for line in lines.add(bytes) {
                            for event in Self.events(in: line) { continuation.yield(event) }
                        }
                    }
                    return continuation.finish()
                } catch let error as EtcdTransportError where error.isSurelyUnsent {
                    failure = error
                } catch {
                    return continuation.finish(throwing: error)
                }
            }
            continuation.finish(throwing: failure)
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private struct Lines {
        private var rest: [UInt8] = []

        mutating func add(_ bytes: [UInt8]) -> [[UInt8]] {
            rest += bytes
            var lines: [[UInt8]] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Array(rest[..<end]))
                rest.removeSubrange(...end)
            }
            return lines
        }
    }

    private static func events(in line: [UInt8]) -> [Event] {
        let result = object(line)?["result"] as? [String: Any]
        return (result?["events"] as? [[String: Any]] ?? []).map { event in
            let pair = event["kv"] as? [String: Any] ?? [:]
            let isRemoval = event["type"] as? String == "DELETE"
            return Event(
                revision: number(pair["mod_revision"]), key: text(pair["key"]),
                value: isRemoval ? nil : text(pair["value"]))
        }
    }

    package static func base64(_ text: some StringProtocol) -> String { Data(text.utf8).base64EncodedString() }

    private static func text(_ value: Any?) -> String {
        String(decoding: Data(base64Encoded: value as? String ?? "") ?? Data(), as: UTF8.self)
    }

    package static func number(_ value: Any?) -> Int { (value as? String).flatMap { Int($0) } ?? 0 }

    private static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }
}
