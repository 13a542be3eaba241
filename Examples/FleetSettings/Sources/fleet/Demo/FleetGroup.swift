import Settle

/// What the services of the demonstration and of the trial declare.
struct FleetGroup: SettingsGroup {
    struct Limits: SettingsGroup {
        /// 0 stops everything.
        @Setting(in: 0...1_000_000) var requests = 100
        @Setting(in: 1...1_000_000) var burst = 20
    }

    let limits = Limits()
    /// The commits of the demonstration.
    @Setting var ledger: [Int] = []
}
