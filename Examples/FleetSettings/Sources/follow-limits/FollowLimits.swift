import EtcdHTTP
import Settle
import SettleEtcd

struct Limits: SettingsGroup {
    @Setting(in: 0...10_000) var requests = 100
}

@main
struct FollowLimits {
    static func main() async throws {
        let transport = try EtcdHTTPTransport()
        let configuration = EtcdConfiguration(endpoints: ["http://127.0.0.1:2379"], prefix: "/fleet/limits/")
        let store = try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
        let limits = try await store.group(Limits.self)
        for await requests in limits.$requests {
            print("\(requests) requests a second")
            if requests == 0 { break }
        }
        try await store.close()
        try await transport.shutdown()
    }
}
