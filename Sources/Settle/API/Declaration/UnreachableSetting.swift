/// A setting or a group in a property of a group, where no store finds it: in a collection, a tuple, an enum or a
/// struct that is not a group.
struct UnreachableSetting {
    /// The location, such as `Shelf.items[0]`.
    let place: String
    /// The kind of value, such as `a group of the type Item`.
    let what: String
    /// The reason why no store finds it, and the remedy.
    let advice: String

    /// Finds the first one in a property that is neither a setting nor a group; `nil` if there is none.
    ///
    /// Objects are not searched: they may belong to other code, and their groups may be open.
    init?(in property: GroupLayout.Other) {
        let search = Search(label: property.label)
        guard let found = search.first(in: property.value, at: property.name, within: .property) else { return nil }
        self = found
    }

    private init(place: String, what: String, advice: String) {
        (self.place, self.what, self.advice) = (place, what, advice)
    }

    /// The surroundings of a value.
    private enum Surroundings {
        case property
        case collection
        /// A struct that is not a group.
        case plain(String)
    }

    private struct Search {
        /// The property's name.
        let label: String

        func first(in value: Any, at place: String, within surroundings: Surroundings) -> UnreachableSetting? {
            if let setting = value as? any AnySetting {
                guard setting.erasedBox.isUnopened else { return nil }
                return UnreachableSetting(place: place, what: "a setting", advice: advice("", surroundings))
            }
            if let group = value as? any SettingsGroup {
                guard GroupLayout.firstBox(of: group)?.isUnopened == true else { return nil }
                let type = "\(type(of: group))"
                return UnreachableSetting(
                    place: place, what: "a group of the type \(type)", advice: advice(type, surroundings))
            }
            // A type that can be stored contains no settings.
            if value is any Decodable { return nil }
            let mirror = Mirror(reflecting: value)
            var inner = surroundings
            switch mirror.displayStyle {
            case .struct: inner = .plain("\(type(of: value))")
            case .collection, .set, .dictionary: inner = .collection
            case .tuple, .enum: inner = .property
            case .optional: break
            default: return nil
            }
            for (offset, child) in mirror.children.enumerated() {
                let found =
                    switch mirror.displayStyle {
                    case .optional: first(in: child.value, at: place, within: inner)
                    case .dictionary: entry(child.value, at: place)
                    case .struct, .tuple, .enum:
                        first(in: child.value, at: place + self.name(of: child.label), within: inner)
                    default: first(in: child.value, at: "\(place)[\(offset)]", within: inner)
                    }
                if let found { return found }
            }
            guard let group = UnreachableSetting.elementGroup(of: type(of: value)) else { return nil }
            return UnreachableSetting(
                place: place, what: "a collection of groups of the type \(group)",
                advice: advice("\(group)", .collection))
        }

        private func entry(_ pair: Any, at place: String) -> UnreachableSetting? {
            let parts = Array(Mirror(reflecting: pair).children)
            guard parts.count == 2 else { return nil }
            let key = Redacted(parts[0].value, isSecret: false)
            return first(in: parts[1].value, at: "\(place)[\(key)]", within: .collection)
        }

        /// Returns the label as written after the value that has the property.
        private func name(of label: String?) -> String {
            guard let label else { return "" }
            // The elements of a tuple without names are called `.0` and so on.
            return label.hasPrefix(".") ? label : ".\(GroupMember.settingName(label))"
        }

        private func advice(_ group: String, _ surroundings: Surroundings) -> String {
            switch surroundings {
            case .property: "settings are found only in properties of the group itself. Make it one."
            case .collection where group.isEmpty:
                "settings in a collection are not found. Put each into a group of its own."
            case .collection:
                "groups in a collection are not found. Open each at a path of its own: "
                    + "`store.group(\(group).self, at: .path(\"\(label)\", id))`."
            case .plain(let type): "\(type) is not a group. Make \(type) conform to `SettingsGroup`."
            }
        }
    }

    /// Returns the type of the groups in a collection of the type, even while it is empty; `nil` if its elements are
    /// not groups.
    private static func elementGroup(of type: any Any.Type, isInCollection: Bool = false) -> (any Any.Type)? {
        if isInCollection, type is any SettingsGroup.Type || type == (any SettingsGroup).self { return type }
        guard let container = type as? any Container.Type else { return nil }
        return elementGroup(of: container.content, isInCollection: isInCollection || container.isCollection)
    }
}
