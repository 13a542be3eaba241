/// The readings of a machine's clocks at a moment.
package struct MachineMoment: Sendable, Hashable {
    /// The identity of the boot, different after each; empty if the system gives none.
    package var boot: String
    /// Time since the boot, sleep included, which cannot be set.
    package var uptime: Duration
    /// Wall time in seconds since 2001, which can be set.
    package var time: Double

    package init(boot: String, uptime: Duration, time: Double) {
        self.boot = boot
        self.uptime = uptime
        self.time = time
    }

    /// The readings of the machine on which the program runs.
    static func now() -> MachineMoment {
        MachineMoment(boot: currentBoot, uptime: timeSinceBoot(), time: wallTime(isExact: true))
    }

    /// Read once: it stays the same as long as the process runs.
    private static let currentBoot = bootIdentity()
}

/// A clock with a machine of its own, such as that of a test, which reboots on request.
package protocol MachineClock: Clock {
    var moment: MachineMoment { get }
}
