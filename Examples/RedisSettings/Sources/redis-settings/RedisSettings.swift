import Foundation
import RedisMachines
import Settle
import SettleRedis

/// Reads and writes settings in a Redis server, and tries the storage under load, on a server of its own.
@main
enum RedisSettings {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "get" where arguments.count == 2:
            let store = try await open()
            print(String(decoding: try store.keys[arguments[1]]?.json() ?? Data("null".utf8), as: UTF8.self))
            try await store.close()
        case "set" where arguments.count == 3:
            let store = try await open()
            let value = try SettingValue(json: Data(arguments[2].utf8))
            try await store.commit(author: "redis-settings") { try store.keys.setValue(value, forKey: arguments[1]) }
            try await store.close()
        case "trial":
            let numbers = arguments.dropFirst().compactMap { Int($0) }
            try await Trial.run(commits: numbers.first ?? 12_000, seconds: numbers.dropFirst().first ?? 30)
        case "work" where arguments.count == 5:
            let numbers = arguments.dropFirst().compactMap { Int($0) }
            try await Worker(port: numbers[0], number: numbers[1]).run(commits: numbers[2], seconds: numbers[3])
        default:
            throw MachineError(
                """
                redis-settings get KEY            prints a value as JSON
                redis-settings set KEY VALUE      stores one, in JSON
                redis-settings trial [COMMITS [SECONDS]]
                The server is at 127.0.0.1:6379, or at $REDIS_HOST and $REDIS_PORT, with the password $REDIS_PASSWORD.
                """)
        }
    }

    private static func open() async throws -> SettingsStore {
        let variables = ProcessInfo.processInfo.environment
        let server = RedisServer(
            host: variables["REDIS_HOST"] ?? "127.0.0.1", port: variables["REDIS_PORT"].flatMap { Int($0) } ?? 6_379,
            password: variables["REDIS_PASSWORD"])
        return try await SettingsStore.open(storage: RedisStorage(server, prefix: "settle"))
    }
}
