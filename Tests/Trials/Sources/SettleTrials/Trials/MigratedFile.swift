import Foundation
import TrialChecks

/// Reads settings files without Settle.
enum MigratedFile {
    /// - Returns: `nil` if there is no such file, or if it is no JSON.
    static func values(at path: String) -> MigratedValues? {
        guard let data = FileManager.default.contents(atPath: path),
            let tree = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        var values = MigratedValues()
        values.steps = (tree["$settle"] as? [String: Any])?["migrations"] as? [String] ?? []
        add(tree, at: "", to: &values)
        return values
    }

    private static func add(_ tree: [String: Any], at path: String, to values: inout MigratedValues) {
        for (name, value) in tree {
            switch value {
            case let inner as [String: Any]: add(inner, at: path + name + ".", to: &values)
            case let number as Int: values.numbers[path + name] = number
            case let text as String: values.texts[path + name] = text
            default: break
            }
        }
    }
}
