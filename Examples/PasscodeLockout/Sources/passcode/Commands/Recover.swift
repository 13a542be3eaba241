import ArgumentParser
import Foundation

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set aside a lock that its owner can no longer open, with everything that it protects.",
        discussion: """
            Works in every state of the lock, and asks for no passcode: anyone who may write the files can do the same. It \
            opens nothing. Only a key that the lock itself gives out, and that is lost with it, protects what is locked.

            The lock's files are moved to a new folder beside them. A witness keeps its number.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    func run() async throws {
        try options.checkWitness()
        let recovery = try Recovery(of: options.copies)
        guard !recovery.files.isEmpty else {
            try Terminal.say("There is nothing to set aside: the lock has no files.")
            return try tellAboutWitness()
        }
        try explain(recovery)
        try confirm()
        try recovery.run()
        try Terminal.say("The files have been moved. “passcode enrol” chooses a new passcode.")
    }

    private func explain(_ recovery: Recovery) throws {
        try Terminal.say("These files would be moved:")
        for file in recovery.files { try Terminal.say("  \(file.path)") }
        for folder in recovery.folders { try Terminal.say("  to \(folder.path)") }
        try Terminal.say("The passcode, the count, the wait and the policy go with them.", .yellow)
        try Terminal.say("What is encrypted with a key that only this lock gives out is lost for good.", .yellow)
        try tellAboutWitness()
    }

    private func tellAboutWitness() throws {
        guard let witness = options.witness else { return }
        try Terminal.say("The witness “\(witness)” keeps its number, and a new lock beside it counts as an old copy.")
        try Terminal.say("Its keeper must set that file aside, or the new lock needs another one.")
    }

    private func confirm() throws {
        guard !yes else { return }
        if Terminal.isInteractive {
            guard Terminal.readAnswer(prompt: "Type “recover” to do it: ") != "recover" else { return }
            Terminal.complain("Nothing has changed.")
        } else {
            Terminal.complain("Nothing has changed. Use --yes to do it.")
        }
        throw ExitCode.malformed
    }
}
