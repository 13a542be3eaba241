import Foundation
import Testing
import TrialChecks

@Suite struct SecretSearchTests {
    private let secret = Data(SecretSearch.secret(7).utf8)

    /// Searches the files of a trial, by path.
    private func search(_ files: [String: Data], expectsSecret: Bool = true) throws -> TrialReport {
        var search = SecretSearch()
        try add(files, of: "kills", to: &search, expectsSecret: expectsSecret)
        return search.report(for: "A")
    }

    private func add(
        _ files: [String: Data], of trial: String, to search: inout SecretSearch, expectsSecret: Bool = true
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "secret-search-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, data) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        try search.search(folder, leftBy: trial, expectsSecret: expectsSecret)
    }

    @Test("Secrets in the secret stores are where they belong")
    func stored() throws {
        let report = try search(["secrets/kill-1/token": secret, "kill-1/settings.json": Data("{}".utf8)])
        #expect(!report.hasLoss && report.problems.isEmpty)
        #expect(report.figures.prefix(2).map(\.value) == [2, 1])
    }

    @Test(
        "A secret in any other file that is left is a loss, also among other bytes",
        arguments: [
            "kill-1/settings.json", "kill-1/settings.json~", "kill-1/.settings.json.journal",
            "kill-1/.settings.json.0123456789abcdef.tmp", "migration-1/.settings.json.before-migration",
            "removal-1-copies/settings.json", "disk-1-left/settings.json", "history/exported-1.json",
            "kill-1.acknowledged", "kill-1/secrets/token",
        ])
    func misplaced(path: String) throws {
        let report = try search([path: Data([0, 255]) + secret + Data([10]), "secrets/kill-1/token": secret])
        #expect(report.hasLoss && report.problems == ["“\(path)” of the trial “kills” has a secret."])
    }

    @Test("A trial that should have written a secret and has left none is a failure, whatever others have left")
    func missing() throws {
        var search = SecretSearch()
        try add(["secrets/kill-1/token": secret], of: "kills", to: &search)
        try add(["secrets/editor/token": Data()], of: "edits", to: &search)
        let report = search.report(for: "A")
        #expect(report.hasLoss && report.problems == ["The trial “edits” has left no secret."])
    }

    @Test("A trial that may have left no secret is searched like the others")
    func optional() throws {
        #expect(try !search(["kill-1/settings.json": Data("{}".utf8)], expectsSecret: false).hasLoss)
        #expect(try search(["kill-1/settings.json": secret], expectsSecret: false).hasLoss)
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
