import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a page is told: the forms that it does not show as they are.
///
/// A page says with its ``PagePlace`` what it shows, when it connects first and whenever it connects again. So nothing is told
/// twice, and nothing is lost:
///
/// | What the page says | What it is told first |
/// |---|---|
/// | nothing, or what can't be read | all its forms |
/// | that it has other settings than there are by now | that, and all its forms |
/// | a place of another past, or one that is forgotten, or none while there is a history by now | all its forms, with places that count |
/// | a place that is known | the forms whose mark is another now; and of the secrets, which look alike whatever they are, those that the history says have been changed since |
/// | no place, and there still is no history | the forms whose mark is another now |
///
/// After that, a setting that changes is told as it is then, whether that looks different or not: the page may have it from an
/// answer meanwhile. What was told before on the same connection, or was there when it began, is told as a ``FormPatch``:
///
/// | A form | What is told of it |
/// |---|---|
/// | at the beginning | the whole form |
/// | with the same elements and texts as the one before | what is other in it, with the marks of both |
/// | with others, such as a new entry, a note, or a reset that was not there | the whole form |
/// | beyond what is kept for a connection (``ToldForms``) | the whole form |
///
/// The store is followed before the place in the history is read, so a change during the comparison is told at least once. A
/// place counts as forgotten also if the history can't be read.
///
/// The identifier of an event has the marks of what was told with it and before. A connection that breaks in the middle of an
/// event leaves the browser with the one before, so that the rest is told again. What the page has had from answers the marks do
/// not know: the page's script compares the marks that its forms have, asks for the whole form where a patch does not fit, and says
/// nothing of what it shows if that is not what it was told.
struct PageUpdates: Sendable {
    private let pages: PanelPages
    private let page: ShownPage
    /// Which settings the document has; `nil` if it does not say.
    private let outline: String?
    /// What the page says it shows.
    private let start: PagePlace?
    /// The forms of the settings that there were last.
    private var forms = ToldForms()
    private var knownOutline = ""
    private var told: PagePlace?
    /// The page's settings and their outline, where what is declared stays as it is.
    private var declared: (controls: [Control], outline: String)?

    /// - Parameters:
    ///   - query: Names the page, and the settings that its document has.
    ///   - place: What the page says it shows.
    init(_ page: ShownPage, of pages: PanelPages, outline: String?, from place: PagePlace?) {
        (self.pages, self.page, self.outline, start) = (pages, page, outline, place)
    }

    /// An event with the forms that may have changed, or a comment if nothing has.
    mutating func event(of news: PanelFollower.News) async -> [UInt8] {
        let pages = pages.current
        let (controls, now) = settings(of: pages)
        // A browser waits this long, in milliseconds, before it connects again.
        var text = news.isBeginning ? "retry: 1000\n\n" : ""
        if let outline, outline != now { text += "event: contents\ndata:\n\n" }
        // Before the forms, so that it is not newer than they are.
        let token = pages.panel.store.history.token
        let changed = await changedForms(news, pages, controls, now, token)
        let place = PagePlace(token: token, outline: now, forms: forms.marks)
        let identifier = place == told ? "" : "id: \(place)\n"
        told = place
        guard !changed.isEmpty else { return Array("\(text)\(identifier): alive\n\n".utf8) }
        // On one line, since JSON escapes line feeds.
        let data = (try? SettingValue.array(changed).json()) ?? Data("[]".utf8)
        return Array("\(text)\(identifier)event: forms\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// The settings of the page, with their outline. They are looked up once: a search goes through all words of all settings.
    private mutating func settings(of pages: PanelPages) -> (controls: [Control], outline: String) {
        if let declared { return declared }
        let contents = pages.context.contents
        let settings = (controls: page.controls(in: contents), outline: page.outline(in: contents))
        // Where nothing is declared, settings come and go with the values.
        if case .values = pages.panel.source { return settings }
        declared = settings
        return settings
    }

    /// Makes what may have changed anew, and keeps it.
    ///
    /// - Returns: A whole form as its text, or what is other in one.
    private mutating func changedForms(
        _ news: PanelFollower.News, _ pages: PanelPages, _ controls: [Control], _ outline: String, _ token: ChangeToken?
    ) async -> [SettingValue] {
        let isKnown = !news.isBeginning && knownOutline == outline && forms.marks.count == controls.count
        knownOutline = outline
        guard isKnown else {
            let secrets = news.isBeginning ? await pages.keysStored(since: start?.token, upTo: token) : nil
            let all = controls.map { pages.marked($0) }
            forms = ToldForms(all)
            var indices = Set(all.indices)
            if news.isBeginning, !news.isEverything, let start, let secrets,
                let others = PagePlace(token: token, outline: outline, forms: forms.marks).differences(from: start)
            {
                indices = Set(others)
                for (index, control) in controls.enumerated()
                where control.isTouched(by: news.keys) || control.isSecret && control.isTouched(by: secrets) {
                    indices.insert(index)
                }
            }
            return indices.sorted().map { .string(all[$0].html.text) }
        }
        var changed: [SettingValue] = []
        for (index, control) in controls.enumerated() {
            guard news.isEverything || control.isTouched(by: news.keys) else { continue }
            changed.append(forms.tell(pages.marked(control), at: index))
        }
        return changed
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
        context.contents = panel.contentsOfValues(in: context.words)
        return PanelPages(panel: panel, context: context)
    }

    /// The keys that the history's transactions since a place have changed; `nil` if that can't be told.
    fileprivate func keysStored(since place: ChangeToken?, upTo token: ChangeToken?) async -> Set<SettingKey>? {
        if place == token { return [] }
        guard let place else { return nil }
        return await panel.store.keysStored(after: place)
    }
}
