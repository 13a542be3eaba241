/// How much of each trial is made.
struct TrialSize: Sendable {
    var kills: Int
    var raceRounds: Int
    var raceSteps: Int
    var diskRounds: Int
    var readingMilliseconds: Int
    var edits: Int
    var histories: Int
    var latencySamples: Int

    /// For CI: a few minutes on two processors.
    static let quick = TrialSize(
        kills: 2_000, raceRounds: 4, raceSteps: 50, diskRounds: 4, readingMilliseconds: 5_000, edits: 60, histories: 20,
        latencySamples: 100)

    static let full = TrialSize(
        kills: 10_000, raceRounds: 20, raceSteps: 100, diskRounds: 20, readingMilliseconds: 20_000, edits: 300,
        histories: 100, latencySamples: 400)
}
