/// A value with a title for people, such as a case of an enumeration that a settings page shows as a choice.
///
/// ```swift
/// enum Theme: String, Codable, CaseIterable, TitledChoice {
///     case light, dark
///     var choiceTitle: String { self == .light ? "Bright" : "Dark" }
/// }
/// ```
///
/// For a single setting the rule can have the titles: `@Setting(.oneOf([.light: "Bright", .dark: "Dark"]))`.
public protocol TitledChoice {
    /// The title, such as "Bright". It does not change while the program runs; a page translates it.
    var choiceTitle: String { get }
}

/// Returns the titles of values, in the same order; `nil` unless all have one.
func choiceTitles(of values: [Any]) -> [String]? {
    let titles = values.compactMap { ($0 as? any TitledChoice)?.choiceTitle }
    return titles.count == values.count ? titles : nil
}
