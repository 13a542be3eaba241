import ArgumentParser

/// A subcommand that runs some trials.
protocol TrialCommand: ParsableCommand {
    static var trials: [any Trial] { get }
    static var contenders: [ContenderKind] { get }
    var options: TrialOptions { get }
}

extension TrialCommand {
    static var contenders: [ContenderKind] { ContenderKind.allCases }

    func run() throws {
        try options.run(Self.trials, Self.contenders)
    }
}
