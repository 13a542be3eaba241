import ArgumentParser

struct PowerCut: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "power-cut",
        abstract: "Cuts the power of real file systems, and lets their device fail; takes root.")
    static var trials: [any Trial] { LoopDisk.FileSystem.allCases.map(PowerCutTrial.init) }
    @OptionGroup var options: TrialOptions
}
