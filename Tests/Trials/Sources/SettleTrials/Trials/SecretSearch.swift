import Foundation
import TrialChecks

/// Searches everything that the trials have left for the secrets that were written.
enum SecretSearch {
    /// The name of each folder of secrets.
    static let folderName = "secrets"
    private static let mark = "a-secret-of-the-trials-"
    /// Without it, a number that was cut off would be another number.
    private static let end = "-whole"

    static func secret(_ number: Int) -> String { "\(mark)\(number)\(end)" }

    /// Returns the number in a whole secret.
    static func number(in secret: String) -> Int? {
        guard secret.hasPrefix(mark), secret.hasSuffix(end) else { return nil }
        return Int(secret.dropFirst(mark.count).dropLast(end.count))
    }

    /// - Parameter isExpecting: Whether a trial has surely written secrets, so that a search that finds none is at fault.
    static func report(on bench: TrialBench, expecting isExpecting: Bool) throws -> TrialReport {
        var problems = Problems()
        var (searched, kept) = (0, 0)
        let paths = FileManager.default.enumerator(atPath: bench.folder.path)
        while let path = paths?.nextObject() as? String {
            let file = bench.folder.appending(path: path)
            let values = try file.resourceValues(forKeys: [.isRegularFileKey])
            guard values.isRegularFile == true else { continue }
            searched += 1
            guard try Data(contentsOf: file, options: .alwaysMapped).range(of: Data(mark.utf8)) != nil else { continue }
            if path.split(separator: "/").dropLast().last == Substring(folderName) {
                kept += 1
            } else {
                problems.add("“\(path)” has a secret.")
            }
        }
        if isExpecting, kept == 0 { problems.add("No folder of secrets has a secret.", .failure) }
        return TrialReport(
            "secrets in the files that are left", ContenderKind.settle.rawValue,
            figures: [
                Figure("files", searched), Figure("secrets in their folders", kept),
                .loss("files with a secret elsewhere", problems.count(of: .loss)),
                .loss("searches without a secret", problems.count(of: .failure)),
            ],
            problems: problems.sentences)
    }
}
