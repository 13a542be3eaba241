public import Foundation

/// Searches all bytes of all files that the trials have left for the secrets that were written.
public struct SecretSearch: Sendable {
    /// The name of the folder, in the folder with a trial's files, that has its secret stores.
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

    private var files = 0
    private var secrets = 0
    private var problems = Problems()

    public init() {}

    /// Searches the folder with the files that a trial has left.
    ///
    /// - Parameter expectsSecret: Whether the trial has surely written a secret: if its secret stores have none, it has
    ///   not, and the search proves nothing.
    public mutating func search(_ folder: URL, leftBy trial: String, expectsSecret: Bool = true) throws {
        var found = 0
        let paths = FileManager.default.enumerator(atPath: folder.path)
        while let path = paths?.nextObject() as? String {
            let file = folder.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files += 1
            let bytes = try Data(contentsOf: file, options: .alwaysMapped)
            guard bytes.range(of: Data(Self.mark.utf8)) != nil else { continue }
            if path.hasPrefix("\(Self.folderName)/") {
                found += 1
            } else {
                problems.add("“\(path)” of the trial “\(trial)” has a secret.")
            }
        }
        secrets += found
        if expectsSecret, found == 0 { problems.add("The trial “\(trial)” has left no secret.", .failure) }
    }

    /// Returns the report on all that was searched.
    public func report(for contender: String) -> TrialReport {
        TrialReport(
            "secrets in the files that are left", contender,
            figures: [
                Figure("files", files), Figure("secrets in their stores", secrets),
                .loss("files with a secret elsewhere", problems.count(of: .loss)),
                .loss("trials without a secret", problems.count(of: .failure)),
            ],
            problems: problems.sentences)
    }
}
