import LiveServing
import Settle
import SettleTesting
import Testing

/// Changes that wait for the storage, on the service's own server.
@Suite(.timeLimit(.minutes(10))) struct SlowChangeTests {
    private static func patch(_ key: String, _ digit: Int) -> String {
        "PATCH /settings/\(key) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(TestRequest.token)\r\n"
            + "Content-Length: 1\r\n\r\n\(digit)"
    }

    /// How many changes were refused because they had not begun when they were cancelled.
    private func cancelledChanges(of service: TestService) async throws -> Int {
        let metrics = try await service.send(.get("/metrics")).text
        return metrics.split(separator: "\n").count { line in
            line.hasPrefix("settings_api_requests_total{") && line.contains("\"PATCH\"") && line.contains("\"503\"")
        }
    }

    @Test("A change that waits is cancelled when its client departs, and made when its client waits as well")
    func departure() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            let hold = storage.hold(.append)
            service.settings.limits.perSecond = 9
            await hold.waitUntilReached()
            try await RawConnection.with(port: service.port) { waiting async throws in
                try await waiting.send(Self.patch("limits.burst", 7))
                try await RawConnection.with(port: service.port) { departing async throws in
                    try await departing.send(Self.patch("limits.perSecond", 8))
                }
                // By then, both connections are watched.
                try await eventually("the change was cancelled") { try await cancelledChanges(of: service) == 1 }
                hold.release()
                #expect(try await waiting.response().status == 200)
            }
            #expect(service.settings.limits.burst == 7 && service.settings.limits.perSecond == 9)
        }
    }
}
