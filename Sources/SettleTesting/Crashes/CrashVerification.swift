import Settle

/// Looks at everything that a crash at one point may leave behind.
struct CrashVerification<Acknowledged: Sendable> {
    let run: CrashRun<Acknowledged>
    let seed: UInt64
    let limit: Int
    let makeStorage: @Sendable (any SystemCalls) -> any Storage
    /// What has been looked at before, with the same demands.
    private var known: Set<[Int]> = []

    /// How many different outcomes have been looked at.
    var imageCount: Int { known.count }

    init(
        _ run: CrashRun<Acknowledged>, seed: UInt64, limit: Int,
        _ makeStorage: @escaping @Sendable (any SystemCalls) -> any Storage
    ) {
        self.run = run
        self.seed = seed
        self.limit = limit
        self.makeStorage = makeStorage
    }

    mutating func verify(
        _ point: CrashLog.Point, check: (CrashRecovery<Acknowledged>) async throws -> Void
    ) async throws {
        var ended = [CrashImage(image: point.image, description: "The process is killed.")]
        for (number, part) in point.parts.enumerated() {
            let description = "The process is killed in the middle of the write (way \(number + 1))."
            ended.append(CrashImage(image: part, description: description))
        }
        for image in ended { try await verify(image, point, notBefore: point.state.returned, check) }
        // Another seed for each point, or all of them would choose alike.
        let lost = point.image.afterLossOfPower(limit: limit, seed: seed ^ UInt64(point.number))
        for image in lost { try await verify(image, point, notBefore: point.state.stable, check) }
    }

    private mutating func verify(
        _ image: CrashImage, _ point: CrashLog.Point, notBefore oldest: Int,
        _ check: (CrashRecovery<Acknowledged>) async throws -> Void
    ) async throws {
        let demands = [oldest, point.state.trees.count, point.state.told]
        guard known.insert(image.image.fingerprint + demands).inserted else { return }
        let place = point.call.map { "\($0)" } ?? "there was none; the scenario had ended"
        func failure(_ reason: String, _ error: (any Error)? = nil) -> CrashFailure {
            CrashFailure(
                call: point.number, named: place, image: image.description, seed: seed, reason, underlying: error)
        }
        do {
            try RecoveryVerification(makeStorage: makeStorage, trees: point.state.trees)
                .verify(image.image, notBefore: oldest, orAfterPowerLoss: point.state.stable, seed: seed)
        } catch {
            throw failure("\(error)", error)
        }
        do {
            let store = try await SettingsStore.open(
                storage: makeStorage(SimulatedDisk(image.image)),
                configuration: SettingsStore.Configuration(clock: ManualClock()))
            try await check(
                CrashRecovery(
                    store: store, acknowledged: run.acknowledged(point.state.told),
                    description: "\(failure("Recovered."))"))
        } catch {
            throw failure("The check has thrown: \(error)", error)
        }
    }
}
