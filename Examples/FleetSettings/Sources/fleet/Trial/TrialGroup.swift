import Settle

/// The numbers of the trial, each of them a register.
struct TrialGroup: SettingsGroup {
    struct Registers: SettingsGroup {
        @Setting("0") var first = 0
        @Setting("1") var second = 0
        @Setting("2") var third = 0
    }

    /// Two names that Unicode calls equal.
    struct Stops: SettingsGroup {
        @Setting("Jos\u{E9}") var composed = 0
        @Setting("Jose\u{301}") var decomposed = 0
    }

    /// Each value is written once.
    let registers = Registers()
    /// Few values, which are written again and again.
    let stops = Stops()
    /// Is read and written under a lock only.
    @Setting var counter = 0
    /// Is written by `fleet set --wait` only.
    @Setting var emergency = 0

    /// By the numbers of the registers.
    var all: [SettingReference<Int>] {
        [
            registers.$first, registers.$second, registers.$third, stops.$composed, stops.$decomposed, $counter,
            $emergency,
        ]
    }

    static let unique = 0..<3
    static let repeated = 3..<5
    static let counterRegister = 5
    static let emergencyRegister = 6
    /// The registers of a service in which values repeat: a count that was refused is written again.
    static let ownRepeating = Set(repeated).union([counterRegister])
    /// The same, with those of the inner service.
    static let repeating = ownRepeating.union(ownRepeating.map { $0 + TrialGroup.count })

    private static let ownKeys = [
        "registers.0", "registers.1", "registers.2", "stops.Jos\u{E9}", "stops.Jose\u{301}", "counter", "emergency",
    ]

    /// The number of registers of a service. Those of the inner service come after those of the others.
    static let count = ownKeys.count

    /// The keys of the inner service, as the others spell them.
    static let innerKeys = ownKeys.map { InnerService.name + $0 }

    /// The keys in the cluster under the prefix of the others, by the numbers of the registers.
    static let keys = ownKeys + innerKeys

    /// - Returns: The register with a key; `nil` if it is not one of the trial's.
    static func register(of key: String) -> Int? {
        // By their bytes, as in the cluster.
        keys.firstIndex { $0.utf8.elementsEqual(key.utf8) }
    }
}
