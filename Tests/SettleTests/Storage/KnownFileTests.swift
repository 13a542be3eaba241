import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct KnownFileTests {
    /// A file with one byte of contents.
    @Test("A signature is settled by a clock of any time") func signatureSettledClock() {
        let year2298 = 9_372_672_000.0
        let changed = FileStatus(
            kind: .file, size: 1, permissions: 0, identity: .init(device: 0, file: 0),
            statusChanged: 978_307_200_000_000_000 + 10_500_000_000)
        let signature = FileSignature(changed)
        #expect(
            signature.isSettled(at: year2298) && signature.isSettled(at: 10.6) && signature.isSettled(at: .infinity))
        #expect(
            !signature.isSettled(at: 10.52) && !signature.isSettled(at: -year2298) && !signature.isSettled(at: .nan))
        #expect(!signature.isSettled(at: -.infinity))
    }

    private func reading(_ byte: UInt8, isSettled: Bool = true, user: UInt32 = 1) -> FileReading {
        FileReading(
            bytes: [byte], status: status(Int64(byte), user: user), version: FileVersion(of: [byte]),
            isSettled: isSettled)
    }

    private func status(_ time: Int64, kind: FileStatus.Kind = .file, user: UInt32 = 1) -> FileStatus {
        FileStatus(
            kind: kind, size: 1, permissions: 0o600, owner: .init(user: user, group: 1),
            identity: .init(device: 1, file: 1), linkCount: 1, contentsChanged: time, statusChanged: time)
    }

    @Test("A reading is that of a file that has another name since, but has not been written")
    func readingFileAnother() {
        func status(_ contents: Int64, size: Int64 = 1, file: UInt64 = 1, kind: FileStatus.Kind = .file) -> FileStatus {
            FileStatus(
                kind: kind, size: size, permissions: 0o644, identity: .init(device: 1, file: file), linkCount: 2,
                contentsChanged: contents, statusChanged: 99)
        }
        let reading = reading(7)
        #expect(reading.hasContents(of: status(7)))
        for other in [status(8), status(7, size: 2), status(7, file: 2), status(7, kind: .symbolicLink)] {
            #expect(!reading.hasContents(of: other))
        }
        // What was written in the same tick of the clock may not show.
        #expect(!self.reading(7, isSettled: false).hasContents(of: status(7)))
    }

    private func known(_ reading: FileReading) -> KnownFile {
        var file = KnownFile()
        file.didMerge(reading, reading.version)
        return file
    }

    private enum Name { case current, absent, rejected, changed }

    private func look(_ file: inout KnownFile, _ reading: FileReading?, _ begun: FileVersion...) -> Name {
        switch file.examine(reading, begun: begun) {
        case .current: .current
        case .absent: .absent
        case .rejected: .rejected
        case .changed: .changed
        }
    }

    @Test("An unchanged signature identifies the file, unless a change might not show in it") func signature() {
        var file = known(reading(1))
        #expect(file.hasSignature)
        #expect([status(1), status(2), nil].map { file.recognize($0) } == [true, false, false])
        file.didMerge(reading(1, isSettled: false), reading(1).version)
        #expect(!file.hasSignature)
        #expect([status(1)].map { file.recognize($0) } == [false])
    }

    @Test("Following another process's record discards the file's signature") func followed() {
        var file = known(reading(1))
        file.follow(reading(1).version)
        #expect(!file.hasSignature && file.standing == .unknown)
        file.didWrite(size: 1)
        file.follow(written: file.version)
        #expect(file.standing == .synced)
        file.follow(written: reading(2).version)
        #expect(file.standing == .unknown && file.version == reading(2).version)
    }

    @Test("A file that has never existed is not missing") func neverThere() {
        var file = KnownFile()
        #expect(look(&file, nil) == .current)
        #expect(!file.isMissing(nil) && !file.isMissing(status(1, kind: .folder)))
        #expect(file.standing == .absent)
    }

    @Test("A file that existed is missing if nothing or a folder has its name") func missing() {
        var file = known(reading(1))
        #expect(look(&file, nil) == .absent)
        #expect(file.isMissing(nil) && file.isMissing(status(1, kind: .folder)))
        #expect(!file.isMissing(status(1)) && !file.isMissing(status(1, kind: .symbolicLink)))
    }

    @Test("A removal is reported once, until the file exists again") func removal() {
        var file = known(reading(1, user: 4))
        #expect((1...2).map { _ in file.forget() } == [true, false])
        #expect(file.version == .absent && file.standing == .absent && file.owner?.user == 4)
        _ = file.examine(reading(2), begun: [])
        file.didMerge(reading(2), reading(2).version)
        #expect((1...1).map { _ in file.forget() } == [true])
        file.didWrite(size: 1)
        #expect((1...2).map { _ in file.announceAbsence() } == [true, false])
    }

    @Test("The version of an unconfirmed checkpoint is no edit") func begun() {
        var file = known(reading(1))
        #expect(look(&file, reading(2), reading(2).version) == .current)
        #expect(file.version == reading(2).version)
        #expect(look(&file, reading(3)) == .changed)
        #expect(file.version == reading(2).version)
    }

    @Test("A version that can't be used is reported once") func rejected() {
        var file = known(reading(1))
        file.reject(reading(2))
        #expect(!file.hasSignature)
        #expect(look(&file, reading(2)) == .rejected)
        #expect(look(&file, reading(3)) == .changed)
        #expect(look(&file, reading(1)) == .current)
        #expect(look(&file, reading(2)) == .changed)
    }

    @Test("What was synced here stays so when it is read back") func standing() {
        var file = known(reading(1))
        #expect(file.standing == .unknown)
        file.didWrite(size: 1)
        #expect(file.standing == .synced)
        file.didMerge(reading(1), reading(1).version)
        #expect(file.standing == .synced)
        file.didMerge(reading(2), reading(2).version)
        #expect(file.standing == .unknown)
        file.didFindDamaged(reading(2).version)
        #expect(file.standing == .damaged)
        file.didMerge(nil, .absent)
        #expect(file.standing == .absent && file.size == 0)
    }
}
