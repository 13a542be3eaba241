import Foundation
import PasscodeLock
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScryptVerifierTests {
    private let verifier = ScryptVerifier(ScryptCost(rounds: 16))

    @Test("The right passcode is recognized, even by a verifier of another cost; another passcode is not")
    func recognises() async throws {
        let stored = try await verifier.makeVerifier(for: Passcode("tür 25"))
        #expect(try await verifier.verify(Passcode("tür 25"), against: stored))
        #expect(try await ScryptVerifier().verify(Passcode("tür 25"), against: stored))
        #expect(try await !verifier.verify(Passcode("tür 26"), against: stored))
    }

    @Test("R20: Two verifiers of one passcode have nothing in common")
    func salted() async throws {
        let first = try await verifier.makeVerifier(for: Passcode("2580"))
        let second = try await verifier.makeVerifier(for: Passcode("2580"))
        #expect(first.salt != second.salt)
        #expect(first.key != second.key)
    }

    @Test("R20: A stored verifier has the requested cost, by default one that OWASP recommends")
    func cost() async throws {
        #expect(ScryptCost.standard == ScryptCost(rounds: 32_768, blockSize: 8, parallelism: 3))
        let stored = try await ScryptVerifier().makeVerifier(for: Passcode("2580"))
        #expect(stored.cost == .standard)
        #expect(stored.salt.count == 16 && stored.key.count == 32)
    }

    @Test("A stored verifier that is impossible or too costly throws", arguments: 0..<5)
    func unusable(_ number: Int) async throws {
        var stored = try await verifier.makeVerifier(for: Passcode("2580"))
        switch number {
        case 0: stored.algorithm = "plain"
        case 1: stored.cost.rounds = 1 << 40
        case 2: stored.cost.rounds = 17
        case 3: stored.key = Data()
        default: stored.salt = Data()
        }
        await #expect(throws: VerifierError.self) {
            try await verifier.verify(Passcode("2580"), against: stored)
        }
        #expect(verifier.objection(to: stored) != nil)
    }

    @Test(
        "A stored cost of more than four times the standard's work or memory is an objection, and no number overflows",
        arguments: [
            (ScryptCost(rounds: 131_072, parallelism: 3), true), (ScryptCost(rounds: 32_768, parallelism: 12), true),
            (ScryptCost(rounds: 32_768, parallelism: 13), false), (ScryptCost(rounds: 262_144), false),
            (ScryptCost(rounds: 1_048_576, blockSize: 1), true), (ScryptCost(rounds: 2_097_152, blockSize: 1), false),
            (ScryptCost(rounds: 2, blockSize: .max), false), (ScryptCost(rounds: 2, parallelism: .max), false),
            (ScryptCost(rounds: 1 << 62, blockSize: .max, parallelism: .max), false),
        ])
    func bearable(_ cost: ScryptCost, _ isBearable: Bool) async throws {
        var stored = try await verifier.makeVerifier(for: Passcode("2580"))
        stored.cost = cost
        #expect(verifier.objection(to: stored) == (isBearable ? nil : VerifierError.tooCostly.description))
        guard !isBearable else { return }
        await #expect(throws: VerifierError.tooCostly) {
            try await verifier.verify(Passcode("2580"), against: stored)
        }
        await #expect(throws: VerifierError.tooCostly) {
            try await ScryptVerifier(cost).makeVerifier(for: Passcode("2580"))
        }
    }

    @Test("R20: A printed passcode shows nothing of itself")
    func redacted() throws {
        let passcode = try Passcode("2580")
        var dumped = ""
        dump(passcode, to: &dumped)
        for text in ["\(passcode)", String(reflecting: passcode), dumped, "\([passcode])"] {
            #expect(!text.contains("2580") && !text.contains("50, 53"))
        }
    }

    @Test("R20: A printed stored verifier shows nothing of itself")
    func redactedVerifier() async throws {
        let stored = StoredVerifier(
            algorithm: "scrypt", cost: .standard, salt: Data("salted".utf8), key: Data("derived".utf8))
        var dumped = ""
        dump(stored, to: &dumped)
        for text in ["\(stored)", String(reflecting: stored), dumped, "\([stored])"] {
            for secret in [stored.salt, stored.key] {
                #expect(
                    !text.contains(secret.base64EncodedString()) && !text.contains(String(describing: Array(secret))))
                #expect(!text.contains("bytes"))
            }
        }
    }

    @Test("R9: An impossible passcode is rejected before it could count")
    func malformed() {
        #expect(throws: PasscodeError.tooShort(minimum: 4)) { try Passcode("123") }
        #expect(throws: PasscodeError.tooLong) { try Passcode(String(repeating: "1", count: 1_025)) }
        for text in ["\u{1B}[A258", "2580\t", "2580\u{1A}", "25\u{0}80", "2580\r\n"] {
            #expect(throws: PasscodeError.controlCharacter) { try Passcode(text) }
        }
        #expect(throws: Never.self) { try Passcode("пароль 🔑 with spaces") }
    }
}
