import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a page is sent: the forms that it does not show as they are.
///
/// A page says with its ``PageCursor`` what it shows, when it connects first and whenever it connects again. So nothing
/// is sent twice, and nothing is lost:
///
/// | What the page says | What it is sent first |
/// |---|---|
/// | nothing, or what can't be read | all its forms |
/// | that it has other settings than there are by now | that, and all its forms |
/// | a token of another history, or one that is forgotten, or none while there is a history by now | all its forms, with tokens that count |
/// | a token that is known | the forms whose digest is another now; and of the secrets, which look alike whatever they are, those that the history says have been changed since |
/// | no token, and there still is no history | the forms whose digest is another now |
///
/// After that, a setting that changes is sent as it is then, whether that looks different or not: the page may have it
/// from an answer meanwhile. The page's script changes the form that it shows in place, and does nothing to one with
/// the same digest.
///
/// The store is followed before the token is read, so a change during the comparison is sent at least once. A token
/// counts as forgotten also if the history can't be read.
///
/// The identifier of an event has the digests of what was sent with it and before. A connection that breaks in the
/// middle of an event leaves the browser with the one before, so that the rest is sent again. The digests do not know
/// what the page has had from answers: the page's script compares those that its forms have, and connects without a
/// cursor if that is not what it was sent.
struct PageUpdates: Sendable {
    private let pages: PanelPages
    private let page: PageScope
    /// Which settings the document has; `nil` if it does not say.
    private let outline: String?
    /// What the page says it shows.
    private let start: PageCursor?
    /// The forms of the settings that there were last.
    private var digests: [FormDigest] = []
    private var knownOutline = ""
    private var sent: PageCursor?
    /// The page's settings and their outline, where what is declared stays as it is.
    private var declared: (controls: [Control], outline: String)?

    /// - Parameters:
    ///   - query: Names the page, and the settings that its document has.
    ///   - cursor: What the page says it shows.
    init(_ page: PageScope, of pages: PanelPages, outline: String?, from cursor: PageCursor?) {
        (self.pages, self.page, self.outline, start) = (pages, page, outline, cursor)
    }

    /// An event with the forms that may have changed, or a comment if nothing has.
    mutating func event(of update: StoreFollower.Update) async -> [UInt8] {
        let pages = pages.current
        let (controls, now) = settings(of: pages)
        // A browser waits this long, in milliseconds, before it connects again.
        var text = update.isBeginning ? "retry: 1000\n\n" : ""
        if let outline, outline != now { text += "event: contents\ndata:\n\n" }
        // Before the forms, so that it is not newer than they are.
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

    /// The settings of the page, with their outline. They are looked up once: a search goes through all words of all
    /// settings.
    private mutating func settings(of pages: PanelPages) -> (controls: [Control], outline: String) {
        if let declared { return declared }
        let contents = pages.context.contents
        let settings = (controls: page.controls(in: contents), outline: page.outline(in: contents))
        // Where nothing is declared, settings come and go with the values.
        if case .values = pages.panel.source { return settings }
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
    /// The same, with the settings that there are now.
    fileprivate var current: PanelPages {
        guard case .values = panel.source else { return self }
        var context = context
        context.contents = panel.contentsOfValues(in: context.strings)
        return PanelPages(panel: panel, context: context)
    }

    /// The keys that the history's transactions since a token have changed; `nil` if that can't be known.
    fileprivate func keysStored(since start: ChangeToken?, upTo token: ChangeToken?) async -> Set<SettingKey>? {
        if start == token { return [] }
        guard let start else { return nil }
        return await panel.store.keysStored(after: start)
    }
}
