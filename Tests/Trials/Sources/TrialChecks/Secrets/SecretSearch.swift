public import Foundation

/// Searches all bytes of all files that the trials have left for the secrets that were written.
public struct SecretSearch: Sendable {
    /// The name of each folder of secrets.
    public static let folderName = "secrets"
    private static let mark = "a-secret-of-the-trials-"
    /// Without it, a number that was cut off would be another number.
    private static let end = "-whole"

    public static func secret(_ number: Int) -> String { "\(mark)\(number)\(end)" }

    /// Returns the number in a whole secret.
    public static func number(in secret: String) -> Int? {
        guard secret.hasPrefix(mark), secret.hasSuffix(end) else { return nil }
        return Int(secret.dropFirst(mark.count).dropLast(end.count))
    }

    /// How many files were searched.
    public private(set) var count = 0
    /// The paths of the files in folders of secrets that have one.
    public private(set) var kept: [String] = []
    /// The paths of all other files that have one.
    public private(set) var misplaced: [String] = []

    public init(in folder: URL) throws {
        let paths = FileManager.default.enumerator(atPath: folder.path)
        while let path = paths?.nextObject() as? String {
            let file = folder.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            count += 1
            let bytes = try Data(contentsOf: file, options: .alwaysMapped)
            guard bytes.range(of: Data(Self.mark.utf8)) != nil else { continue }
            if path.split(separator: "/").dropLast().last == Substring(Self.folderName) {
                kept.append(path)
            } else {
                misplaced.append(path)
            }
        }
    }

    /// - Parameter beginnings: Those of the paths under which trials have surely written secrets: a search that finds
    ///   none there is at fault.
    public func report(for contender: String, expecting beginnings: [String]) -> TrialReport {
        var problems = Problems()
        for path in misplaced { problems.add("“\(path)” has a secret.") }
        for beginning in beginnings where !kept.contains(where: { $0.hasPrefix(beginning) }) {
            problems.add("No folder of secrets under “\(beginning)…” has a secret.", .failure)
        }
        return TrialReport(
            "secrets in the files that are left", contender,
            figures: [
                Figure("files", count), Figure("secrets in their folders", kept.count),
                .loss("files with a secret elsewhere", problems.count(of: .loss)),
                .loss("searches without a secret", problems.count(of: .failure)),
            ],
            problems: problems.sentences)
    }
}
