import Settle

/// The location of the settings in a cluster, and the time limits for using it.
public struct EtcdConfiguration: Sendable, CustomStringConvertible, CustomReflectable {
    /// A user of etcd.
    ///
    /// Descriptions leave out the password.
    public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The user's name.
        public var name: String
        /// The user's password.
        public var password: String

        /// Creates credentials.
        public init(name: String, password: String) {
            self.name = name
            self.password = password
        }

        /// The user's name.
        public var description: String { name }
        /// The user's name alone.
        public var customMirror: Swift.Mirror { Swift.Mirror(self, children: ["name": name]) }
    }

    /// The behavior if the cluster can't be reached when the storage is loaded.
    public enum Start: Sendable, Hashable {
        /// Begin with the last known values of the local copy. The outcome of the load reports this.
        case withLastKnownValues
        /// Throw.
        case withClusterOnly
    }

    /// The client URLs of the members, such as `https://10.0.0.1:2379`. Calls begin with a random member; after a
    /// failure the next member is used.
    public var endpoints: [String]
    /// The prefix of every key, such as `/fleet/limits/`. A slash at the end is added if it is missing. It must not be
    /// within the prefix of other settings, nor contain one.
    public var prefix: String
    /// The user, where etcd requires one. The user's token is renewed when it is no longer accepted, once for all
    /// storages that share it; see ``EtcdTransport/tokens``.
    public var credentials: Credentials?
    /// The time limit for one call to one member.
    public var deadline = Duration.seconds(5)
    /// How long a stream of changes may be silent before a read checks whether it still delivers everything.
    public var silence = Duration.seconds(10)
    /// The approximate interval at which all keys are compared with a read, to find changes that etcd itself has left
    /// out of the stream.
    public var audit = Duration.seconds(300)
    /// The delays before a stream of changes is reopened. They double, half of each is random, and they start over
    /// after a minute without a failure.
    public var reconnectDelay = Duration.seconds(1)...Duration.seconds(30)
    /// How long a named lock lasts after its holder has gone.
    public var lockTimeToLive = Duration.seconds(15)
    /// How much earlier a holder considers its lock ended, to allow for clocks that run at different rates.
    public var lockMargin = Duration.seconds(2)
    /// The behavior if the cluster can't be reached at the start.
    public var start = Start.withLastKnownValues
    /// The clock. It should run while the machine sleeps.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The wall clock that dates changes and reports, in seconds since 2001-01-01 00:00 UTC; `nil` for the system's. It
    /// may be set at any time: no time limit and no lock depends on it.
    public var wallClock: (@Sendable () -> Double)?
    /// Random numbers from 0 to 1, which spread many clients over the members, and their reconnections over time.
    public var random: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates a configuration.
    public init(endpoints: [String], prefix: String, credentials: Credentials? = nil) {
        self.endpoints = endpoints
        self.prefix = prefix
        self.credentials = credentials
    }

    /// The prefix, the endpoints and the user's name, without passwords.
    public var description: String {
        "“\(prefix)” at \(endpoints.map(\.withoutCredentials).joined(separator: ", "))"
            + (credentials.map { " as “\($0)”" } ?? "")
    }

    /// The description alone, so that no password is dumped.
    public var customMirror: Swift.Mirror { Swift.Mirror(self, children: ["description": description]) }
}
