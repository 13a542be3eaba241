import Foundation
import Settle

/// Short descriptions of trees for failure messages.
enum SettingTreeText {
    static func leaves(of tree: SettingTree, below outer: SettingKey? = nil) -> [SettingKey: SettingValue?] {
        var result: [SettingKey: SettingValue?] = [:]
        for (name, value) in tree.root {
            let key = outer?.appending(component: name) ?? .path(name)
            if case .dictionary(let inner) = value, !inner.isEmpty {
                result.merge(leaves(of: SettingTree(inner), below: key)) { $1 }
            } else {
                result.updateValue(value, forKey: key)
            }
        }
        return result
    }

    static func text(_ value: SettingValue?) -> String {
        switch value {
        case nil: "-"
        case .integer(let number): "\(number)"
        case .date(let date): "d\(Int(date.timeIntervalSinceReferenceDate))"
        case .string(let text): "\"\(text)\""
        case .some(let value): "\(value)"
        }
    }
}
