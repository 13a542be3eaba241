import SettleHTTP

extension ParsedRequest {
    /// Returns the data that every page needs.
    ///
    /// - Parameters:
    ///   - base: The path of the panel.
    ///   - home: The path of the page with all panels, if there is one.
    func context(
        _ contents: PanelContents, base: String, formToken: String, _ configuration: SettingsPanel.Configuration,
        home: String? = nil
    ) -> PageContext {
        PageContext(
            base: base, files: configuration.base, formToken: formToken, contents: contents,
            strings: configuration.strings(for: languages, beside: contents.language), origin: returnPlace, home: home,
            session: session, assets: PanelAssets.version, search: SettingsQuery(form) ?? SettingsQuery(query))
    }
}
