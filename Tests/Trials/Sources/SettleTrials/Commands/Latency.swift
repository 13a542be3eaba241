import ArgumentParser

struct Latency: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Measures how long a write takes to reach another process.")
    static var trials: [any Trial] { [LatencyTrial()] }
    @OptionGroup var options: TrialOptions
}
