import Foundation

/// Detects when no other thread of this process runs, so that all subscribers are parked and all cooperative threads
/// asleep, as in an idle app at the moment of a write.
enum Stillness {
    /// Waits until all other threads sleep, at most a tenth of a second.
    static func wait() {
        let deadline = nanoseconds() + 100_000_000
        var calm = 0
        while calm < 2, nanoseconds() < deadline {
            calm = othersSleep() ? calm + 1 : 0
            if calm == 0 { usleep(20) }
        }
    }

    #if os(Linux)
        private static func othersSleep() -> Bool {
            guard let folder = opendir("/proc/self/task") else { return true }
            defer { closedir(folder) }
            let mine = threadID()
            while let entry = readdir(folder) {
                let id = withUnsafeBytes(of: entry.pointee.d_name) { Int($0.prefix { $0 != 0 }) }
                guard let id, id != mine else { continue }
                if !sleeps(id) { return false }
            }
            return true
        }

        private static func sleeps(_ id: Int) -> Bool {
            let file = open("/proc/self/task/\(id)/stat", O_RDONLY)
            // The thread has ended.
            guard file >= 0 else { return true }
            defer { close(file) }
            return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes in
                guard let start = bytes.baseAddress else { return true }
                let count = read(file, start, bytes.count)
                guard count > 0, let name = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return true }
                return name + 2 < count && bytes[name + 2] != UInt8(ascii: "R")
            }
        }

        private static func threadID() -> Int {
            withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes in
                let buffer = bytes.bindMemory(to: CChar.self)
                guard let start = buffer.baseAddress else { return 0 }
                let count = readlink("/proc/thread-self", start, bytes.count)
                guard count > 0, let slash = bytes[..<count].lastIndex(of: UInt8(ascii: "/")) else { return 0 }
                return Int(bytes[(slash + 1)..<count]) ?? 0
            }
        }
    #else
        private static func othersSleep() -> Bool {
            usleep(200)
            return true
        }
    #endif
}

extension Int {
    /// A decimal number in ASCII.
    fileprivate init?(_ digits: some Sequence<UInt8>) {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        self = value
    }
}
