import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A system call that fails, once or from then on.
struct CallTrouble: Sendable, CustomTestStringConvertible {
    let fault: FaultySystemCalls.Fault
    let forGood: Bool
    var testDescription: String { "\(fault)\(forGood ? " for good" : "")" }

    static let all: [CallTrouble] = [
        .error(.noSpace), .error(.inputOutput), .error(.permissionDenied), .error(.interrupted), .short,
    ].flatMap { (fault: FaultySystemCalls.Fault) in
        [CallTrouble(fault: fault, forGood: false), CallTrouble(fault: fault, forGood: true)]
    }
}
