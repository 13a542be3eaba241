/// A machine's time: the real one's (``SystemTime``) or that of a machine in a test (``SimulatedTime``).
public protocol MachineTime: Sendable {
    func now() throws -> Moment
    /// Returns when the uptime has been reached, perhaps a little earlier after a reboot. Throws if the task is cancelled.
    func sleep(untilUptime deadline: Duration) async throws
}
