import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettleHTTP
import SettlePanelHummingbird
import Synchronization

/// The two servers that `panel-latency api` compares, in one process: one with an API as the guide mounts it, and a
/// bare one, which answers with the same bytes, and sends an event for each line of a pipe.
struct ServeAPI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve-api")

    @Argument var file: String
    @Argument var pipe: String

    static let token = "latency-0123456789abcdef"

    func run() async throws {
        DescriptorLimit.raise()
        let store = try await SettingsStore.open(at: URL(filePath: file), configuration: .init(history: .keep()))
        let settings = try await store.group(Measured.self)
        // Once a value is stored, the answer has a token, and is the same from then on.
        try await settings.commit { settings.number = -1 }
        var configuration = SettingsAPI.Configuration(access: .tokens(APITokens { ["latency": APIToken(Self.token)] }))
        configuration.streamLimit = 100_000
        // No heartbeat in between, and none that wakes all streams.
        configuration.heartbeat = .seconds(3_600)
        let api = SettingsAPI(store, groups: Measured.self, configuration: configuration)
        let router = Router()
        router.add(middleware: SettingsMiddleware(api))
        let bare = application(
            "bare", bareRouter(answering: try await recordedAnswer(of: api), with: BareEvents(of: pipe)))
        try await application("api", router, beside: [bare]).runService()
        try await store.close()
    }

    /// - Parameter services: What runs as long as the server does.
    private func application(
        _ name: String, _ router: Router<BasicRequestContext>, beside services: [any Service] = []
    ) -> some ApplicationProtocol {
        var logger = Logger(label: "panel-latency")
        logger.logLevel = .warning
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            services: services,
            onServerRunning: { channel in
                print("\(name) \(channel.localAddress?.port ?? 0)")
                fflush(nil)
            }, logger: logger)
    }

    /// The API's answer to the request that is measured. The bare server sends the same status, fields and body.
    private func recordedAnswer(of api: SettingsAPI) async throws -> (headers: HTTPFields, body: ByteBuffer) {
        let answer = await api.respond(
            to: WebRequest(
                method: "GET", target: "/settings/number",
                headers: [("Host", "127.0.0.1"), ("Authorization", "Bearer \(Self.token)")]))
        guard answer.status == 200, case .bytes(let bytes) = answer.body else {
            throw RawConnection.Failure(description: "The API has answered with \(answer.status).")
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        return (headers, ByteBuffer(bytes: bytes))
    }

    private func bareRouter(
        answering answer: (headers: HTTPFields, body: ByteBuffer), with events: BareEvents
    ) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/answer") { _, _ in
            Response(status: .ok, headers: answer.headers, body: ResponseBody(byteBuffer: answer.body))
        }
        router.get("/events") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    for await line in events.follow().cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "data: \(line)\n\n"))
                    }
                    try await writer.finish(nil)
                })
        }
        return router
    }
}

/// The lines of a pipe, for any number of clients, each of which first gets the line `begin`.
final class BareEvents: Sendable {
    private let clients = Mutex<[AsyncStream<String>.Continuation]>([])

    init(of pipe: String) {
        Task { [weak self] in
            for await line in lines(of: pipe) { self?.send(line) }
        }
    }

    func follow() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        continuation.yield("begin")
        clients.withLock { $0.append(continuation) }
        return stream
    }

    private func send(_ line: String) {
        for client in clients.withLock(\.self) { client.yield(line) }
    }
}
