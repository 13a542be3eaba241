import TrialChecks

/// One kind of harm, done to a contender many times.
protocol Trial: Sendable {
    var name: String { get }
    /// Whether the trial makes sense for libraries that do not watch their file.
    var isForAll: Bool { get }
    /// Returns whether a run of this size surely leaves a secret in the secret store. By default it does.
    func writesSecret(_ size: TrialSize) -> Bool
    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport
}

extension Trial {
    func writesSecret(_ size: TrialSize) -> Bool { true }

    func start(_ order: ChildOrder) throws -> ChildProcess {
        let place = order.place
        return try ChildProcess(order, environment: place.contender.environment(for: place.folder))
    }

    /// What a new process finds in the file.
    func inspect(_ place: ChildPlace, numbers: [String], texts: [String] = []) throws -> Inspection {
        AcknowledgementFile.remove(place.acknowledgements)
        var child = try start(.inspect(InspectingChild(place: place, numbers: numbers, texts: texts)))
        _ = child.wait()
        return Inspection(AcknowledgementFile.read(place.acknowledgements))
    }
}
