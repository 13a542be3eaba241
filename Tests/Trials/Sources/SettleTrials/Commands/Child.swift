import ArgumentParser

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// The hidden command of the child processes in the trials.
struct Child: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

    @Argument var order: String

    /// No child works this long: one that does hangs, and its end by `SIGALRM` is a failure of its trial.
    private static let longestLife: CUnsignedInt = 180

    func run() async throws {
        alarm(Self.longestLife)
        do {
            try await ChildOrder(text: order).run()
        } catch {
            // The parent finds the error in the acknowledgements, and counts it.
            throw ExitCode.failure
        }
    }
}
