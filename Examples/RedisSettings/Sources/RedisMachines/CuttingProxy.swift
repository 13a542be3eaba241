import Foundation
import Synchronization

/// Stands between a storage and its server, and loses answers, or holds commands back.
package final class CuttingProxy: Sendable {
    package enum Mode: Sendable {
        case open
        /// Commands are executed. The connection ends in place of the answer.
        case losesAnswers
        /// Commands with this text come to the server with ``release()``, whether or not their connection is still
        /// there.
        case holdsCommands(containing: String)
    }

    private struct State {
        var mode = Mode.open
        var held: [(server: Socket, bytes: [UInt8])] = []
        /// How often the server has answered.
        var answers = 0
        var connections = 0
    }

    package let port: Int
    private let listener: Socket
    private let state = Mutex(State())

    package init(to server: Int) throws {
        let listener = try Socket(listeningAt: 0)
        (self.listener, port) = (listener, listener.port)
        Thread.detachNewThread { [weak self] in
            while let client = try? listener.accept() {
                self?.hasAccepted()
                guard let server = try? Socket(connectedTo: server) else {
                    client.cut()
                    continue
                }
                Thread.detachNewThread { [weak self] in
                    Self.carry(from: client, to: server) { self?.take($0, for: server) }
                }
                Thread.detachNewThread { [weak self] in Self.carry(from: server, to: client) { self?.answer($0) } }
            }
        }
    }

    deinit { listener.cut() }

    package func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

    /// How often a client has connected.
    package var connections: Int { state.withLock { $0.connections } }

    private func hasAccepted() { state.withLock { $0.connections += 1 } }

    package var isHolding: Bool { state.withLock { !$0.held.isEmpty } }

    /// Sends what was held back, and waits for the answers.
    package func release() {
        let (held, answers) = state.withLock { state in
            defer { state.held = [] }
            return (state.held, state.answers)
        }
        for command in held { command.server.write(command.bytes) }
        while state.withLock({ $0.answers < answers + held.count }) { Thread.sleep(forTimeInterval: 0.001) }
    }

    /// - Returns: The bytes to pass on to the server; `nil` to end the connection.
    private func take(_ bytes: [UInt8], for server: Socket) -> [UInt8]? {
        state.withLock { state in
            guard case .holdsCommands(let text) = state.mode, String(decoding: bytes, as: UTF8.self).contains(text)
            else {
                return bytes
            }
            state.held.append((server, bytes))
            return []
        }
    }

    private func answer(_ bytes: [UInt8]) -> [UInt8]? {
        state.withLock { state in
            state.answers += 1
            if case .losesAnswers = state.mode { return nil }
            return bytes
        }
    }

    private static func carry(from source: Socket, to target: Socket, _ pass: (([UInt8]) -> [UInt8]?)) {
        var isHeld = false
        while true {
            let bytes = source.read()
            guard !bytes.isEmpty, let rest = pass(bytes) else { break }
            isHeld = rest.isEmpty
            target.write(rest)
        }
        source.cut()
        // The end of a connection must not overtake its commands.
        if !isHeld { target.cut() }
    }
}
