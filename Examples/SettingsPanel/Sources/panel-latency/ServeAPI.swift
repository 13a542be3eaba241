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
        _ = try await store.group(Measured.self)
        var configuration = SettingsAPI.Configuration(access: .tokens(APITokens { ["latency": APIToken(Self.token)] }))
        configuration.streamLimit = 100_000
        // No heartbeat in between, and none that wakes all streams.
        configuration.heartbeat = .seconds(3_600)
        let api = SettingsAPI(store, groups: Measured.self, configuration: configuration)
        let router = Router()
        router.add(middleware: SettingsMiddleware(api))
        let answer = await api.respond(
            to: WebRequest(
                method: "GET", target: "/settings/number", headers: [("Authorization", "Bearer \(Self.token)")]))
        let bare = application("bare", bareRouter(answering: answer, with: BareEvents(of: pipe)))
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

    private func bareRouter(answering answer: WebResponse, with events: BareEvents) -> Router<BasicRequestContext> {
        let router = Router()
        var bytes: [UInt8] = []
        if case .bytes(let body) = answer.body { bytes = body }
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let (body, headers) = (ByteBuffer(bytes: bytes), fields)
        router.get("/answer") { _, _ in
            Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
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
