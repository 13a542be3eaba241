import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Attacks through the settings themselves.
@Suite(.timeLimit(.minutes(10))) struct ResetAttackTests {
    /// An attack on both stores of a lock.
    enum Attack: CaseIterable {
        case reset, zero, old, remove, removeAll, tree
    }

    private func carryOut(_ attack: Attack, on stores: [SettingsStore]) {
        for store in stores {
            switch attack {
            case .reset: try? store.reset()
            case .zero: try? store.keys.setValue(0, forKey: "passcode.attemptCount")
            case .old:
                try? store.keys.setValue(0, forKey: "passcode.attemptCount")
                try? store.keys.setValue(99, forKey: "passcode.generation")
                try? store.keys.removeValue(forKey: "passcode.wait")
            case .remove: try? store.keys.removeValue(forKey: "passcode.attemptCount")
            case .removeAll:
                for name in [
                    "version", "generation", "verifier", "attemptCount", "wait", "checksum", "damage", "audit",
                ] {
                    try? store.keys.removeValue(forKey: "passcode.\(name)")
                }
            case .tree: try? store.keys.removeValue(forKey: "passcode")
            }
        }
    }

    @Test("R19: Neither a reset nor a write by key lowers the count of a running lock", arguments: Attack.allCases)
    func runningLock(_ attack: Attack) async throws {
        try await AttackScene.run { scene in
            try await scene.use { process in
                carryOut(attack, on: process.stores)
                try await AttackScene.expectHeld(process)
                for store in process.stores { try await store.flush() }
                try await AttackScene.expectHeld(process)
            }
            try await scene.expectHeld()
        }
    }

    @Test(
        "R19: A program that writes the lock's keys without its group does not weaken the lock",
        arguments: Attack.allCases)
    func otherProgram(_ attack: Attack) async throws {
        try await AttackScene.run { scene in
            let stores = try await scene.folder.openStores()
            carryOut(attack, on: stores)
            for store in stores { try await store.close() }
            // A program that removes all values with the owner's rights has the effect of removing the files (R17).
            guard attack != .removeAll, attack != .tree else {
                try await scene.use { process in
                    let status = await process.lock.status()
                    guard case .unavailable = status else {
                        Issue.record("\(status)")
                        return
                    }
                }
                return
            }
            try await scene.expectHeld()
        }
    }

    @Test("R19: Another program's writes while the lock runs are noticed and undone", arguments: Attack.allCases)
    func otherProgramBeside(_ attack: Attack) async throws {
        try await AttackScene.run { scene in
            try await scene.use { process in
                let stores = try await scene.folder.openStores()
                carryOut(attack, on: stores)
                for store in stores { try await store.close() }
                let isDone = attack != .reset
                try await AttackScene.expectHeld(process, tampering: isDone)
            }
            try await scene.expectHeld()
        }
    }
}
