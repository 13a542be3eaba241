import Foundation
import Testing
import TrialChecks

@Suite("SecretSearch")
struct SecretSearchTests {
    /// Searches some files, by path.
    private func search(_ files: [String: Data], expecting beginnings: [String] = []) throws -> TrialReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "secret-search-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, data) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        return try SecretSearch(in: folder).report(for: "A", expecting: beginnings)
    }

    private let secret = Data(SecretSearch.secret(7).utf8)

    @Test("Secrets in folders of secrets are where they belong")
    func kept() throws {
        let report = try search(
            ["kill-1/secrets/token": secret, "kill-1/settings.json": Data("{}".utf8)], expecting: ["kill-"])
        #expect(!report.hasLoss && report.problems.isEmpty)
        #expect(report.figures.prefix(2).map(\.value) == [2, 1])
    }

    @Test(
        "A secret anywhere else is a loss, also among other bytes, in a hidden file and beside a folder of secrets",
        arguments: ["kill-1/settings.json", "kill-1/.settings.json.journal", "kill-1.acknowledged", "secrets/a/token"])
    func misplaced(path: String) throws {
        let report = try search([path: Data([0, 255]) + secret + Data([10]), "kill-1/secrets/token": secret])
        #expect(report.hasLoss && report.problems == ["“\(path)” has a secret."])
    }

    @Test("A search that finds no secret of a trial that has written some is at fault")
    func missing() throws {
        let report = try search(
            ["kill-1/secrets/token": secret, "history/secrets/token": Data()], expecting: ["kill-", "history/"])
        #expect(report.hasLoss)
        #expect(report.problems == ["No folder of secrets under “history/…” has a secret."])
    }

    @Test("A secret that is not whole has no number")
    func numbers() {
        let whole = SecretSearch.secret(17)
        #expect(SecretSearch.number(in: whole) == 17)
        for text in [String(whole.dropLast()), String(whole.dropFirst()), "", whole + whole] {
            #expect(SecretSearch.number(in: text) == nil)
        }
    }
}
