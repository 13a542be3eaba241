/// One kind of work that children do.
protocol ChildRole: Codable, Sendable {
    var place: ChildPlace { get }
    func run(_ acknowledgements: AcknowledgementFile) async throws
}

extension ChildRole {
    /// Sends a line to the parent, which waits in `ChildProcess.readLine`.
    func say(_ line: String) {
        StandardStreams.write(line + "\n")
    }
}
