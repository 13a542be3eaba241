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
    /// The numbers of the trial.
    let registers = Registers()

    struct Registers: SettingsGroup {
        @Setting("0") var first = 0
        @Setting("1") var second = 0
        @Setting("2") var third = 0

        static let count = 3

        /// - Returns: What was found.
        func replace(_ register: Int, with value: Int) -> Int {
            let found = self.value(register)
            switch register {
            case 0: first = value
            case 1: second = value
            default: third = value
            }
            return found
        }

        func value(_ register: Int) -> Int {
            switch register {
            case 0: first
            case 1: second
            default: third
            }
        }
    }
}
