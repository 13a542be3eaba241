/// A value that one writer publishes and many tasks wait for: ours, the limit and each peer.
protocol Broadcast: Sendable {
    func publish(_ value: Int)
    /// Loops over the values until the task is cancelled.
    func listen(_ receive: @escaping @Sendable (Int) -> Void) async
}
