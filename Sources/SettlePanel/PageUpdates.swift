import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The updates sent to a page: the forms that it does not show in their current state.
///
/// A page states with its ``PageCursor`` what it shows, when it connects first and whenever it reconnects. So nothing
/// is sent twice, and nothing is lost:
///
/// | The page states | Sent first |
/// |---|---|
/// | nothing, or an unreadable cursor | all its forms |
/// | other settings than the current ones | that they differ, and all its forms |
/// | a token of another history or a forgotten one, or none while there is a history by now | all its forms, with valid tokens |
/// | a known token | the forms whose digest has changed, and the forms of secrets, which look alike whatever they are, that have changed since according to the history |
/// | no token, and there still is no history | the forms whose digest has changed |
///
/// After that, a setting that changes is sent in its current state, whether that looks different or not: the page may
/// have received it in an answer meanwhile. The page's script replaces the form that it shows, and does nothing to a
/// form with the same digest.
///
/// The store is followed before the token is read, so a change during the comparison is sent at least once. A token
/// also counts as forgotten if the history can't be read.
///
/// The identifier of an event has the digests of the forms sent with it and before. A connection that breaks in the
/// middle of an event leaves the browser with the previous identifier, so the rest is sent again. The digests do not
/// cover forms that the page has received in answers: the page's script compares the digests of its forms, and connects
/// without a cursor if they differ from those it was sent.
struct PageUpdates: Sendable {
    private let pages: PanelPages
    private let page: PageScope
    /// The outline of the document's settings; `nil` if the page does not state it.
    private let outline: String?
    /// The cursor that the page states.
    private let start: PageCursor?
    /// The digests of the last known settings' forms.
    private var digests: [FormDigest] = []
    private var knownOutline = ""
    private var sent: PageCursor?
    /// The page's settings and their outline, if the declarations do not change.
    private var declared: (controls: [Control], outline: String)?

    /// - Parameters:
    ///   - query: Identifies the page, and the settings in its document.
    ///   - cursor: The cursor that the page states.
    init(_ page: PageScope, of pages: PanelPages, outline: String?, from cursor: PageCursor?) {
        (self.pages, self.page, self.outline, start) = (pages, page, outline, cursor)
    }

    /// Returns an event with the forms that may have changed, or a comment if nothing has.
    mutating func event(of update: StoreFollower.Update) async -> [UInt8] {
        let pages = pages.current
        let (controls, now) = settings(of: pages)
        // The time in milliseconds that a browser waits before it reconnects.
        var text = update.isBeginning ? "retry: 1000\n\n" : ""
        if let outline, outline != now { text += "event: contents\ndata:\n\n" }
        // Read the token before the forms, so that it is not newer than they are.
        let token = pages.panel.store.history.token
        let changed = await changedForms(update, pages, controls, now, token)
        let cursor = PageCursor(token: token, outline: now, forms: digests)
        let identifier = cursor == sent ? "" : "id: \(cursor)\n"
        sent = cursor
        guard !changed.isEmpty else { return Array("\(text)\(identifier): alive\n\n".utf8) }
        // On one line, since JSON escapes line feeds.
        let data = (try? SettingValue.array(changed.map { .string($0.text) }).json()) ?? Data("[]".utf8)
        return Array("\(text)\(identifier)event: forms\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// Returns the settings of the page, with their outline. They are determined once: a search goes through all texts
    /// of all settings.
    private mutating func settings(of pages: PanelPages) -> (controls: [Control], outline: String) {
        if let declared { return declared }
        let controls = page.controls(in: pages)
        let settings = (controls: controls, outline: page.outline(of: controls, in: pages.context.contents))
        // If nothing is declared, settings appear and disappear with the values.
        if case .values = pages.panel.source { return settings }
        if page.dependsOnValues { return settings }
        declared = settings
        return settings
    }

    /// Renders the forms that may have changed, and remembers their digests.
    private mutating func changedForms(
        _ update: StoreFollower.Update, _ pages: PanelPages, _ controls: [Control], _ outline: String,
        _ token: ChangeToken?
    ) async -> [HTML] {
        let isKnown = !update.isBeginning && knownOutline == outline && digests.count == controls.count
        knownOutline = outline
        if isKnown {
            return controls.enumerated().compactMap { index, control in
                guard update.isEverything || control.isTouched(by: update.keys) else { return nil }
                let form = pages.rendered(control)
                digests[index] = form.digest
                return form.html
            }
        }
        let secrets = update.isBeginning ? await pages.keysStored(since: start?.token, upTo: token) : nil
        let forms = controls.map { pages.rendered($0) }
        digests = forms.map(\.digest)
        guard update.isBeginning, !update.isEverything, let start, let secrets,
            let others = PageCursor(token: token, outline: outline, forms: digests).differences(from: start)
        else { return forms.map(\.html) }
        var indices = Set(others)
        for (index, control) in controls.enumerated()
        where control.isTouched(by: update.keys) || control.isSecret && control.isTouched(by: secrets) {
            indices.insert(index)
        }
        return indices.sorted().map { forms[$0].html }
    }
}

extension Control {
    fileprivate func isTouched(by keys: Set<SettingKey>) -> Bool {
        keys.contains { $0 == key || $0.isWithin(key) || key.isWithin($0) }
    }
}

extension PanelPages {
    /// The same pages, with the current settings.
    fileprivate var current: PanelPages {
        guard case .values = panel.source else { return self }
        var context = context
        context.contents = panel.contentsOfValues(in: context.strings)
        return PanelPages(panel: panel, context: context)
    }

    /// Returns the keys that the history's transactions since a token have changed; `nil` if they can't be determined.
    fileprivate func keysStored(since start: ChangeToken?, upTo token: ChangeToken?) async -> Set<SettingKey>? {
        if start == token { return [] }
        guard let start else { return nil }
        let stored = await panel.store.keysStored(after: start)
        // A control has the declared key, where the value may be stored under a name with dots.
        return stored.map { keys in
            keys.union(panel.store.keys.declaredKeys(forKeys: keys).compactMap { $0 })
        }
    }
}
