extension FlawedSharedStorage {
    enum Flaw: CaseIterable, Sendable {
        // Storing.
        case acceptsAppendsBeforeLoad, writesAfterFailedLoad
        case tearsBatches, tearsRefusedBatches
        case emptyBatchesMakePresent, isAbsentWithoutValues, saysBuffered
        case keepsRemovedInnerKeys, keepsRemovedDictionaries, foldsCaseOfKeys
        case ignoresCancellation, storesCancelledBatches
        // Batches whose answers were lost.
        case storesRepeatedBatchesAgain, refusesRepeatedBatches, forgetsBatchesAfterOthers
        case claimsThatLostBatchesFailed, neverTellsLostBatches
        // Conditions.
        case ignoresPositionsWithoutValues
        case ignoresPositions, comparesBeforeStoring, storesDespiteConflict, ignoresMigrations
        // What others change.
        case watchNeverTells, watchTellsOnce, neverTellsOfExternalChanges
        case tellsOwnBatches, tellsChangesTwice, forgetsChangesAfterFailure
        case reversesChanges, leavesAChangeOut, skipsThePositionAfterChanges, readsPositionLate
        // Locks.
        case lockExcludesNobody, ignoresLostLeases
        case namesExcludeNobody, keepsLeasesAfterClosing, fencesFall, leasesNeverEnd, leasesSayNoTime
        case renewsEndedLeases, unlocksTheNextHolder, ignoresNamedLeases, lagsBehindLocks
        // The history.
        case reversesRecords, leavesRecordsOut, tellsOldestRecordsFirst, followsForeignTokens
        case keepsSecrets, remembersForgottenKeys

        /// Whether it is one of a lock for transactions. All others are found without one, too.
        var needsLock: Bool { self == .lockExcludesNobody || self == .ignoresLostLeases }

        /// Whether it is found by waiting for what never comes. For all others patience costs nothing.
        var isWaitedFor: Bool {
            switch self {
            case .ignoresCancellation, .watchNeverTells, .watchTellsOnce, .leasesNeverEnd: true
            default: false
            }
        }

        var brokenPromise: String {
            switch self {
            case .acceptsAppendsBeforeLoad: "Nothing can be appended before the first load"
            case .writesAfterFailedLoad: "After a failed load, nothing is written"
            case .tearsBatches: "No load ever finds a part"
            case .tearsRefusedBatches: "If one value of a batch is refused"
            case .emptyBatchesMakePresent: "An empty batch does not make an absent storage present"
            case .isAbsentWithoutValues: "whose last key is removed is not absent"
            case .saysBuffered: "is synced with all before it"
            case .keepsRemovedDictionaries: "A key replaces what is within it"
            case .foldsCaseOfKeys: "Any name that is not refused"
            case .keepsRemovedInnerKeys: "A key whose value is nil"
            case .ignoresCancellation, .storesCancelledBatches: "An append that is cancelled ends"
            case .storesRepeatedBatchesAgain, .claimsThatLostBatchesFailed: "whose answer was lost is stored once"
            case .refusesRepeatedBatches, .forgetsBatchesAfterOthers: "recognised before its conditions"
            case .neverTellsLostBatches: "whose answer was lost is reported if it was stored"
            case .ignoresPositions, .storesDespiteConflict: "on the condition of a position is stored only there"
            case .ignoresPositionsWithoutValues: "A batch without values is refused"
            case .comparesBeforeStoring: "No change is lost when two storages append at once"
            case .ignoresMigrations: "on the condition of known migrations"
            case .watchNeverTells: "The watch reports when"
            case .watchTellsOnce: "The watch reports again"
            case .neverTellsOfExternalChanges: "A receipt reports"
            case .tellsOwnBatches: "own batch is not an external change"
            case .tellsChangesTwice: "is an external change, once"
            case .forgetsChangesAfterFailure: "could not be determined, none of them is lost"
            case .reversesChanges: "Several external changes are reported in their order"
            case .leavesAChangeOut, .skipsThePositionAfterChanges: "No external change is left out"
            case .readsPositionLate: "The position of a load is not newer"
            default: brokenPromiseOfLockOrHistory
            }
        }

        private var brokenPromiseOfLockOrHistory: String {
            switch self {
            case .lockExcludesNobody: "While a storage has the lock"
            case .ignoresLostLeases: "under a lease that has ended"
            case .namesExcludeNobody: "A named lock has one holder"
            case .keepsLeasesAfterClosing: "A storage that closes releases"
            case .fencesFall: "a higher fencing number"
            case .leasesNeverEnd, .leasesSayNoTime: "A lease that can end has a time"
            case .renewsEndedLeases: "can be renewed while it is held, and not when it has ended"
            case .unlocksTheNextHolder: "leaves the lock with its next holder"
            case .lagsBehindLocks: "the changes include everything that its last holder has stored"
            case .ignoresNamedLeases: "under a named lease that has ended"
            case .reversesRecords, .leavesRecordsOut: "The records after a token"
            case .tellsOldestRecordsFirst: "The records before a token"
            case .followsForeignTokens: "the token of another history"
            case .keepsSecrets: "No value that is withheld"
            case .remembersForgottenKeys: "No value that is forgotten"
            default: "no promise"
            }
        }
    }
}
