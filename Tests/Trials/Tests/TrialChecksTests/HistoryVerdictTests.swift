import Testing
import TrialChecks

@Suite struct HistoryVerdictTests {
    private static let program = "settle-trials"

    private func author(_ lines: String...) -> AuthorRecord {
        var record = AuthorRecord()
        for line in lines.compactMap({ Acknowledgement(line: $0) }) { record.add(line) }
        record.end()
        return record
    }

    /// Two writers. The first has saved a plain write with its commit, and was killed in the next one, in process 10.
    private var authors: [AuthorRecord] {
        [
            author("try 1 10", "wrote 1", "try 2 10", "done 2 10", "try 3 10"),
            author("try 1 11", "done 1 11", "try 2 11", "wrote 2"),
        ]
    }

    private func transaction(
        _ position: Int, writer: Int, _ before: Int?, _ step: Int, total: Int? = nil
    ) -> ReportedTransaction {
        var result = ReportedTransaction(
            token: "t\(position)", position: position, author: "w\(writer)-\(step)", program: Self.program,
            process: 10 + writer)
        (result.writer, result.stepBefore, result.step, result.total) = (writer, before, step, total)
        return result
    }

    private var history: [ReportedTransaction] {
        [
            transaction(1, writer: 0, nil, 1), transaction(2, writer: 1, nil, 1, total: 1),
            transaction(3, writer: 0, 1, 2, total: 2),
            transaction(4, writer: 1, 1, 2),
        ]
    }

    private func verdict(
        _ change: (inout [ReportedTransaction]) -> Void = { _ in }, from beginning: Int = 1,
        followed: (inout [ReportedTransaction]) -> Void = { _ in }
    ) -> HistoryVerdict {
        var history = history
        change(&history)
        var received = self.history.filter { $0.position > beginning }
        followed(&received)
        var follower = FollowerRecord()
        follower.add(Acknowledgement("snapshot", [beginning], text: "t\(beginning)"))
        for transaction in received { follower.add(transaction.acknowledgement) }
        return HistoryVerdict(authors, program: Self.program, history: history, follower: follower)
    }

    @Test("Nothing is wrong with a history that has what was acknowledged, nor with a follower that received it")
    func intact() {
        #expect(verdict().sentences == [])
        #expect(verdict(from: 0).sentences == [])
    }

    @Test("What a kill has cut off, and a plain write that nothing has saved, may be there or not")
    func cut() {
        func cut(_ received: inout [ReportedTransaction]) {
            received.append(self.transaction(5, writer: 0, 2, 3, total: 3))
        }
        #expect(verdict(cut, followed: cut).sentences == [])
        #expect(verdict({ $0.removeLast() }, followed: { $0.removeLast() }).sentences == [])
    }

    @Test("An acknowledged commit that is not there is lost, and so is a plain write before it")
    func lost() {
        func remove(_ index: Int) -> HistoryVerdict {
            var (kept, position) = (history, 0)
            kept.remove(at: index)
            for index in kept.indices {
                position += 1
                kept[index].position = position
                kept[index].token = "t\(position)"
            }
            return verdict({ $0 = kept }, from: 0, followed: { $0 = kept })
        }
        #expect(remove(0).lost.count == 1)
        #expect(remove(2).lost.count == 1)
        #expect(remove(3).lost.count == 0)
    }

    @Test("A position that is left out is a loss, and so are transactions of which only the sum is reported")
    func gaps() {
        #expect(verdict({ $0.remove(at: 1) }, followed: { $0.remove(at: 0) }).lost.count == 3)
        #expect(
            verdict({ ($0[3].position, $0[3].count) = (5, 2) }, followed: { ($0[2].position, $0[2].count) = (5, 2) })
                .lost.count == 2)
    }

    @Test("What a follower does not receive is lost, what it receives again is doubled, and the order counts")
    func followers() {
        #expect(verdict(followed: { $0.removeLast() }).lost.count == 1)
        #expect(verdict(followed: { $0.remove(at: 1) }).lost.count == 2)
        #expect(verdict(followed: { $0.append($0[0]) }).doubled.count == 1)
        #expect(verdict(followed: { $0.swapAt(0, 1) }).disordered.count == 1)
        #expect(verdict(followed: { $0[0].token = "other" }).invented.count == 1)
        #expect(verdict(followed: { $0[0].total = 7 }).disordered.count == 1)
        #expect(verdict(followed: { $0[0].author = "-" }).wrongAuthors.count == 1)
        #expect(
            HistoryVerdict(authors, program: Self.program, history: history, follower: FollowerRecord()).lost.count == 1
        )
    }

    @Test("A transaction is made once")
    func doubled() {
        let again = transaction(5, writer: 1, 2, 2)
        let verdict = verdict({ $0.append(again) }, followed: { $0.append(again) })
        #expect(verdict.doubled.count == 1 && verdict.lost == [])
    }

    @Test("Each transaction starts from the one before it")
    func order() {
        #expect(verdict { $0.swapAt(1, 2) }.disordered.count > 0)
        #expect(verdict({ $0[2].stepBefore = 0 }).disordered.count == 1)
        func miscount(_ received: inout [ReportedTransaction]) { received[received.count - 2].total = 3 }
        #expect(verdict(miscount, followed: miscount).disordered.count == 1)
    }

    @Test("The author's name is that of what has changed, and the program and the process are those that made it")
    func wrongAuthors() {
        func rename(_ received: inout [ReportedTransaction]) { received[received.count - 1].author = "-" }
        #expect(verdict(rename, followed: rename).wrongAuthors.count == 1)
        #expect(verdict { $0[1].process = 10 }.wrongAuthors.count == 1)
        #expect(verdict { $0[1].process = nil }.wrongAuthors.count == 1)
        #expect(verdict { $0[1].program = "other" }.wrongAuthors.count == 1)
    }

    @Test("A step that nobody has tried was made by nobody")
    func invented() {
        let other = transaction(5, writer: 1, 2, 9)
        #expect(verdict({ $0.append(other) }, followed: { $0.append(other) }).invented.count == 1)
    }

    @Test("A read while others write has a part of the history, without a gap and each once")
    func glances() {
        func verdict(_ glance: [ReportedTransaction]) -> HistoryVerdict {
            var follower = FollowerRecord()
            follower.add(Acknowledgement("snapshot", [4], text: "t4"))
            return HistoryVerdict(
                authors, program: Self.program, history: history, follower: follower, glances: [glance])
        }
        #expect(verdict([]).sentences == [])
        #expect(verdict(Array(history[1...2])).sentences == [])
        #expect(verdict([history[1], history[1]]).doubled.count == 1)
        #expect(verdict([history[0], history[2]]).lost.count == 1)
        #expect(verdict([history[2], history[1]]).disordered.count == 1)
        #expect(verdict([transaction(5, writer: 0, 2, 3)]).invented.count == 1)
    }

    @Test("A flush saves the plain writes of its process, and nothing saves those of one that has ended")
    func savedWrites() {
        #expect(author("try 1 10", "wrote 1", "saved 0", "try 2 10", "wrote 2").savedWrites == [1])
        #expect(author("try 1 10", "wrote 1", "try 2 10", "try 3 10", "wrote 3", "done 2 10").savedWrites == [1])
        var record = author("try 1 10", "wrote 1")
        record.add(Acknowledgement("saved", [0]))
        #expect(record.savedWrites == [] && record.commits == [] && record.lastAttempted == 1)
    }

    @Test("A transaction survives the way through an acknowledgement")
    func acknowledgement() {
        for transaction in history + [ReportedTransaction(token: "t", position: 7, count: 3, author: nil)] {
            #expect(
                Acknowledgement(line: transaction.acknowledgement.line).flatMap { ReportedTransaction($0) }
                    == transaction)
        }
    }

    @Test("A follower resumes after what it received last, and every snapshot but the first is a gap")
    func resuming() {
        var follower = FollowerRecord()
        #expect(follower.token == nil)
        follower.add(Acknowledgement("snapshot", [0], text: "t0"))
        #expect(follower.token == "t0" && follower.beginning == 0 && follower.holes == [])
        follower.add(history[0].acknowledgement)
        #expect(follower.token == "t1")
        follower.add(Acknowledgement("snapshot", [3], text: "t3"))
        #expect(follower.token == "t3" && follower.beginning == 0 && follower.holes.count == 1)
    }
}
