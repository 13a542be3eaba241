import Settle

/// Checks everything that a crash at one point may leave behind.
struct CrashVerification<Acknowledged: Sendable> {
    let run: CrashRun<Acknowledged>
    let seed: UInt64
    let limit: Int
    let makeStorage: MakeCrashStorage
    /// The state of each file after the scenario.
    private let files: [String: CrashLog.FileState]
    /// The outcomes checked so far, with their requirements.
    private var known: Set<[Int]> = []

    /// The number of distinct outcomes checked.
    var imageCount: Int { known.count }

    init(
        _ run: CrashRun<Acknowledged>, seed: UInt64, limit: Int,
        _ makeStorage: @escaping MakeCrashStorage
    ) {
        files = run.log.state.files
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
        for image in ended { try await verify(image, point, keeping: \.returned, check) }
        // Vary the seed by point, or all points would make the same choices.
        let lost = point.image.afterLossOfPower(limit: limit, seed: seed ^ UInt64(point.number))
        for image in lost { try await verify(image, point, keeping: \.synced, check) }
    }

    /// - Parameter promise: The number of the oldest batch that each file must still have.
    private mutating func verify(
        _ image: CrashImage, _ point: CrashLog.Point, keeping promise: KeyPath<CrashLog.FileState, Int>,
        _ check: (CrashRecovery<Acknowledged>) async throws -> Void
    ) async throws {
        // A file that is opened only later is in its initial state.
        let states = files.sorted { $0.key < $1.key }.map { name, state in
            (name: name, state: point.state.files[name] ?? state.atFirst)
        }
        let demands = states.flatMap { [$0.state[keyPath: promise], $0.state.trees.count] } + [point.state.told]
        guard known.insert(image.image.fingerprint + demands).inserted else { return }
        let place = point.call.map { "\($0)" } ?? "there was none; the scenario had ended"
        func failure(_ reason: String, _ error: (any Error)? = nil) -> CrashFailure {
            CrashFailure(
                call: point.number, named: place, image: image.description, seed: seed, reason, underlying: error)
        }
        for (name, state) in states {
            do {
                try await RecoveryVerification(file: name, state: state, makeStorage: makeStorage)
                    .verify(image.image, notBefore: state[keyPath: promise], seed: seed)
            } catch {
                throw failure((states.count > 1 ? "\(name): " : "") + "\(error)", error)
            }
        }
        do {
            try await check(
                CrashRecovery(
                    on: SimulatedDisk(image.image), acknowledged: run.acknowledged(point.state.told),
                    description: "\(failure("Recovered."))", makeStorage))
        } catch {
            throw failure("The check threw: \(error)", error)
        }
    }
}
