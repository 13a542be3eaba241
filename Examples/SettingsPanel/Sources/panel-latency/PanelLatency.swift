import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Settle
import SettlePanel
import SettlePanelHummingbird

/// The two sides of `checks/latency`: a server with a panel, and another process that changes a setting.
@main
struct PanelLatency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel-latency", abstract: "The programs that checks/latency measures.",
        subcommands: [ServeBoth.self, Write.self])
}

struct Measured: SettingsGroup {
    @Setting(title: "Number") var number = 0
}

/// The numbers on standard input, one in each line, until it ends.
func numbers() -> AsyncStream<Int> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            while let line = readLine() {
                if let number = Int(line) { continuation.yield(number) }
            }
            continuation.finish()
        }
    }
}

/// Serves a panel, and beside it a bare event for each number on standard input.
struct ServeBoth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve")

    @Argument var file: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        _ = try await store.group(Measured.self)
        let panel = SettingsPanel(
            store, groups: Measured.self, configuration: .init(title: "Latency", path: "/panel", access: .everyone))
        let router = Router()
        router.addSettingsPanel(panel)
        router.get("/bare") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    for await number in numbers().cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "data: \(number)\n\n"))
                    }
                    try await writer.finish(nil)
                })
        }
        var logger = Logger(label: "panel-latency")
        logger.logLevel = .warning
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { channel in
                print("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/panel/")
                fflush(nil)
            }, logger: logger)
        try await application.runService()
    }
}

/// Sets the setting to each number on standard input, as another program would.
struct Write: AsyncParsableCommand {
    @Argument var file: String

    func run() async throws {
        let store = try await SettingsStore.open(at: URL(filePath: file))
        let settings = try await store.group(Measured.self)
        for await number in numbers() { settings.number = number }
        try await store.close()
    }
}
