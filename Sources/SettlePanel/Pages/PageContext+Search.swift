import SettleHTTP

/// The parts that the results of one program and those of all programs share.
extension PageContext {
    /// Returns a text of the program in which the words of the search are marked, in its own direction.
    func marked(_ text: String) -> HTML {
        guard let search, !search.words.isEmpty else { return strings.isolated(text) }
        return strings.isolated(text, as: search.marked(text))
    }

    /// Returns the sentence above the results.
    @HTMLBuilder func searchSummary(_ query: SettingsQuery, isFound: Bool) -> HTML {
        let text = strings.isolated(query.text)
        if query.isChangedOnly, query.words.isEmpty {
            if !isFound { HTML("p", ["class": "empty"]) { strings("Nothing has been changed.") } }
        } else {
            HTML("p", ["class": "empty"]) {
                isFound ? strings.html("Found for “%@”:", text) : strings.html("Nothing was found for “%@”.", text)
            }
        }
    }

    /// Returns the link that restricts a search to changed settings, or removes the restriction.
    @HTMLBuilder func filter(_ query: SettingsQuery) -> HTML {
        if !query.words.isEmpty {
            let other = query.withOtherRestriction
            HTML("p", ["class": "foot"]) {
                HTML("a", ["href": .text(path("search", other.fields))]) {
                    query.isChangedOnly ? strings("All settings with these words") : strings("Changed settings")
                }
            }
        }
    }

    /// Returns the link to more results, if there are more.
    @HTMLBuilder func more(_ query: SettingsQuery, count: Int, total: Int) -> HTML {
        if count < total {
            HTML("p", ["class": "foot"]) {
                HTML("span") { strings("The first %@ of %@ are shown.", "\(count)", "\(total)") }
                HTML("a", ["href": .text(path("search", query.withMore.fields))]) { strings("Show more") }
            }
        }
    }
}
