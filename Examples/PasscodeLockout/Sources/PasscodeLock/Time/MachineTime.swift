/// A machine's time: a real machine's (``SystemTime``) or a test's (``SimulatedTime``).
public protocol MachineTime: Sendable {
    func now() throws -> Moment
    /// Returns at the given uptime, perhaps a little earlier after a reboot. Throws if the task is cancelled.
    func sleep(untilUptime deadline: Duration) async throws
}
