/// How much of each trial to run.
struct TrialSize: Sendable {
    var kills: Int
    var raceRounds: Int
    var raceSteps: Int
    var diskRounds: Int
    var readingMilliseconds: Int
    var edits: Int
    var histories: Int
    var migrations: Int
    var followerLives: Int
    var confirmingKills: Int
    var latencySamples: Int
    var removalRounds: Int
    var powerCuts: Int

    /// For CI: a few minutes on two processors.
    static let quick = TrialSize(
        kills: 2_000, raceRounds: 12, raceSteps: 25, diskRounds: 4, readingMilliseconds: 5_000, edits: 60,
        histories: 60, migrations: 20, followerLives: 20, confirmingKills: 30, latencySamples: 100, removalRounds: 1,
        powerCuts: 20)

    static let full = TrialSize(
        kills: 10_000, raceRounds: 60, raceSteps: 50, diskRounds: 20, readingMilliseconds: 20_000, edits: 300,
        histories: 300, migrations: 300, followerLives: 1_000, confirmingKills: 1_000, latencySamples: 400,
        removalRounds: 40, powerCuts: 500)
}
