import ArgumentParser

struct Latency: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Measures the way of a write to another process.")
    static var trials: [any Trial] { [LatencyTrial()] }
    @OptionGroup var options: TrialOptions
}
