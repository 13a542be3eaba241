import ArgumentParser

struct PowerCut: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "power-cut",
        abstract: "Cuts the power of real file systems, and makes their device fail; needs root.")
    static var trials: [any Trial] { LoopDisk.FileSystem.allCases.map(PowerCutTrial.init) }
    @OptionGroup var options: TrialOptions
}
