import Settle
import SettleHTTP

/// The settings that a search finds, by pane.
struct SearchResults: Sendable {
    /// The results on the page.
    var panes: [(pane: PanelContents.Pane, controls: [Control])] = []
    /// The number of results on the page.
    var count = 0
    /// The number of all results.
    var total = 0

    var controls: [Control] { panes.flatMap(\.controls) }
}

extension PanelContents {
    /// Returns the settings whose texts contain all words of a search, whatever their values are.
    func found(_ query: SettingsQuery) -> [(pane: Pane, controls: [Control])] {
        guard !query.isEmpty else { return [] }
        return panes.compactMap { pane in
            let controls = pane.controls.filter { query.isFound(in: $0.words + [pane.title]) }
            return controls.isEmpty ? nil : (pane, controls)
        }
    }
}
