import SettlePanel

/// HMAC (RFC 2104) with SHA-256 (FIPS 180-4).
struct SHA256Authentication: MessageAuthentication {
    func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key.count > 64 ? hash(key) : key
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        return hash(block.map { $0 ^ 0x5c } + hash(block.map { $0 ^ 0x36 } + message))
    }

    private func hash(_ message: [UInt8]) -> [UInt8] {
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let length = UInt64(message.count * 8)
        let bytes = message + padding + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                bytes[(start + 4 * word)..<(start + 4 * word + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
                let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
                words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
            var s = state
            for index in 0..<64 {
                let choice = s[4] & s[5] ^ ~s[4] & s[6]
                let sum = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
                let first = s[7] &+ sum &+ choice &+ Self.constants[index] &+ words[index]
                let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
                let second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) &+ majority
                s = [first &+ second, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
            }
            for index in 0..<8 { state[index] &+= s[index] }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    private static let constants: [UInt32] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ]
}
