import Foundation
import RedisMachines
import Settle
import SettleRedis
import SettleTesting
import Synchronization
import Testing

extension RedisTests {
    /// The promises of a storage, on a real server. Every fault happens for real.
    @Suite(.timeLimit(.minutes(5))) struct RedisConformanceTests {
        /// A server, and a proxy for each storage.
        private final class Machines: Sendable {
            let server: RedisProcess
            private let proxies = Mutex<[ObjectIdentifier: CuttingProxy]>([:])

            init() throws { server = try RedisProcess() }

            func open(_ number: Int, time: Duration = .seconds(20)) throws -> RedisStorage {
                let proxy = try CuttingProxy(to: server.port)
                // A lease ends by its time.
                let storage = RedisStorage(
                    RedisServer(port: proxy.port), prefix: "check-\(number)", time: time, leaseTime: .milliseconds(400))
                proxies.withLock { $0[ObjectIdentifier(storage)] = proxy }
                return storage
            }

            func set(_ fault: StorageConformance.Fault?, _ storage: any Storage) throws -> Bool {
                guard let storage = storage as? RedisStorage else { return false }
                let proxy = proxies.withLock { $0[ObjectIdentifier(storage)] }
                switch fault {
                case nil:
                    proxy?.set(.open)
                    server.pause(false)
                    if !server.isRunning { try server.start() }
                case .appends, .loads, .changes: server.kill()
                case .answers: proxy?.set(.losesAnswers)
                case .silence: server.pause()
                case .leases: break
                }
                return true
            }
        }

        @Test("The Redis storage keeps all promises") func conforms() async throws {
            let machines = try Machines()
            let report = try await StorageConformance.check(
                makeStorage: { try machines.open($0) }, reopen: { number, _ in try machines.open(number) },
                setFault: { storage, fault in try machines.set(fault, storage) },
                makeOther: { number, _ in try machines.open(number) })
            print(report)
            let reasons = [
                "it has no lock for transactions", "it is no `CheckpointingStorage`", "it preserves nothing",
                "too many to try out",
            ]
            #expect(report.leftOut.allSatisfy { left in reasons.contains { left.hasSuffix($0) } }, "\(report)")
        }
    }
}
