import Settle
import SettleHTTP

/// Changes that a user makes on a page.
struct PanelActions: Sendable {
    let panel: SettingsPanel
    let context: PageContext
    let form: FormFields
    /// The name under which changes are stored.
    let author: String
    /// Whether to answer with only the changed form.
    let wantsFragment: Bool

    private var pages: PanelPages { PanelPages(panel: panel, context: context) }

    /// Stores or removes a value, or changes the parts of one.
    func set() async -> PanelResponse {
        guard let key = form["key"].flatMap({ SettingKey($0) }),
            let (pane, control) = context.contents.location(of: key, id: form["control"])
        else { return pages.missing }
        let isJSON = form["as"] == "json"
        let edited = isJSON ? control.shown(as: .json) : control
        let action = FormAction(form["action"] ?? "save")
        var input = ControlInput(form, for: edited.kind)
        input.apply(action, form, to: edited.kind)
        let submission = ControlForm.Submission(
            kind: edited.kind, isJSON: isJSON, input: input, isReset: action == .reset,
            version: form["seen"].map { .init(token: form["token"] ?? "", seen: $0) })
        guard control.isWritable else {
            return refused(pane, control, submission, HTML(context.strings("Only the program itself changes this.")))
        }
        do {
            if submission.isReset { return try await store(nil, pane, control, submission) }
            guard let value = try input.value(for: edited) else {
                guard !control.isSecret else { return done(pane, control, isStored: false) }
                guard control.isOptional else { throw InputProblem("A value is needed here.") }
                return try await store(.null, pane, control, submission)
            }
            if let problem = control.problem(value) {
                return refused(pane, control, submission, control.refusal(of: value, problem, context.strings))
            }
            do {
                return try await store(value, pane, control, submission)
            } catch let error as SettingsError where error.code == .invalidValue || error.code == .unusableValue {
                let sentence = control.refusal(of: value, ValueProblem(error), context.strings)
                return refused(pane, control, submission, sentence)
            }
        } catch let problem as InputProblem {
            return refused(pane, control, submission, problem.sentence(in: context.strings))
        } catch {
            let failure = failure(error)
            // A declaration that does not know of the secret may quote it.
            let isQuoted = control.isSecret && !(error is CancellationError)
            let sentence = isQuoted ? HTML(context.strings("This can’t be stored here.")) : failure.sentence
            return refused(pane, control, submission, sentence, status: failure.status)
        }
    }

    /// - Parameter value: `nil` removes the stored value.
    private func store(
        _ value: SettingValue?, _ pane: PanelContents.Pane, _ control: Control, _ submission: ControlForm.Submission
    ) async throws -> PanelResponse {
        let (store, key) = (panel.store, control.key)
        let write: @Sendable () throws -> Void = {
            if let value {
                try store.keys.setValue(value, forKey: key)
            } else {
                try store.keys.removeValue(forKey: key)
            }
        }
        var token = form["token"].flatMap { ChangeToken($0) }
        for _ in 0..<Self.attempts {
            do {
                guard let token else {
                    try await store.commit(author: author) {
                        try refuseIfOther(control)
                        try write()
                    }
                    return done(pane, control)
                }
                try await store.commit(
                    ifUnchangedSince: token, keys: [key.description], author: author, write)
                return done(pane, control)
            } catch is OtherIsThere {
                let author = store.keys.explanationWithoutPlaces(forKey: key).change?.author
                return conflict(pane, control, submission, wanting: value, author: author)
            } catch let error as SettingsError where error.code == .conflict {
                // The page may have shown a value that was on its way to the file: its token is then older than the
                // value.
                let state = ControlState(of: control, in: store)
                guard state.value != nil, state.seen == form["seen"], let newer = state.token else {
                    return conflict(pane, control, submission, wanting: value, author: error.conflict?.author?.name)
                }
                token = newer
            }
        }
        return conflict(pane, control, submission, wanting: value, author: nil)
    }

    /// The number of attempts while a value may be on its way.
    private static let attempts = 3

    /// The page has shown something other than the current value.
    private struct OtherIsThere: Error {}

    /// Refuses the write if the page has shown another value. A file that has never been written has no tokens, so the
    /// shown value must still be current. A request without a page's form has seen nothing.
    private func refuseIfOther(_ control: Control) throws {
        if let seen = form["seen"], seen != ControlState(of: control, in: panel.store).seen { throw OtherIsThere() }
    }

    /// Returns the answer to a conflict: another user was first, or the same browser missed the answer and sent the
    /// request again.
    private func conflict(
        _ pane: PanelContents.Pane, _ control: Control, _ submission: ControlForm.Submission,
        wanting value: SettingValue?,
        author: String?
    ) -> PanelResponse {
        let state = ControlState(of: control, in: panel.store)
        let isThere =
            if let value { state.isStored && state.value.map { submission.kind.isSame($0, value) } ?? false } else {
                !state.isStored
            }
        if isThere {
            // Stored, but not by this request.
            var response = done(pane, control)
            response.event = nil
            return response
        }
        var submission = submission
        (submission.reason, submission.version) = (.conflict(author: author), nil)
        return answer(pane, control, submission, status: 409)
    }

    private func done(_ pane: PanelContents.Pane, _ control: Control, isStored: Bool = true) -> PanelResponse {
        var response =
            wantsFragment
            ? PanelResponse.html(pages.rendered(control).html)
            : .redirect(to: "\(context.returnPath(pane: pane.id))#\(control.id)")
        if isStored { response.event = .changed(keys: [control.key.description]) }
        if !isStored, wantsFragment { response.headers.append(("X-Settle-Unchanged", "1")) }
        return response
    }

    private func refused(
        _ pane: PanelContents.Pane, _ control: Control, _ submission: ControlForm.Submission, _ sentence: HTML,
        status: Int = 422
    ) -> PanelResponse {
        var submission = submission
        submission.reason = .refused(sentence)
        return answer(pane, control, submission, status: status)
    }

    /// Returns the status of a change that has failed, which is the API's, and the reason.
    private func failure(_ error: any Error) -> (status: Int, sentence: HTML) {
        let error: any Error = error is CancellationError ? SettingsError.cancelledChange : error
        let isTemporary = (error as? SettingsError)?.isTemporary == true
        return (isTemporary ? 503 : 422, context.strings.english("\(error)"))
    }

    /// Returns a page that shows the typed input again, with the reason beside it.
    private func answer(
        _ pane: PanelContents.Pane, _ control: Control, _ submission: ControlForm.Submission, status: Int
    ) -> PanelResponse {
        guard submission.input.parts.count <= ControlForm.partLimit else {
            return tooLong(submission, status: status)
        }
        guard wantsFragment else { return pages.pane(pane.id, submission: (control, submission), status: status) }
        return .html(pages.rendered(control, submission).html, status: status)
    }

    /// Returns only the reason: with an input for each entry, 1 MiB of short ones would become a page of hundreds.
    private func tooLong(_ submission: ControlForm.Submission, status: Int) -> PanelResponse {
        let strings = context.strings
        let remedy = strings("The list is too long to be shown again here. Go back to correct it; nothing was changed.")
        return pages.problem(
            status, HTML([submission.reason.sentence(in: strings), HTML(" "), HTML(remedy)]))
    }

    /// Removes the stored values of a pane's settings, or of all panes.
    func reset() async -> PanelResponse {
        let pane = form["pane"]
        let controls = pane.map { context.contents.pane($0)?.controls ?? [] } ?? context.contents.controls
        let store = panel.store
        let keys = controls.filter { pages.form($0).isResettable }.map(\.key)
        do {
            try await store.commit(author: author) {
                for key in keys { try store.keys.removeValue(forKey: key) }
            }
            var response = PanelResponse.redirect(to: context.panePath(pane ?? ""))
            if !keys.isEmpty { response.event = .changed(keys: keys.map(\.description)) }
            return response
        } catch {
            let failure = failure(error)
            return pages.problem(failure.status, failure.sentence)
        }
    }

    /// Undoes a transaction of the history.
    func undo() async -> PanelResponse {
        guard let token = form["token"].flatMap({ ChangeToken($0) }) else { return pages.missing }
        do {
            // The declarations of another program are not in the store, so it can't know which settings are owner-only.
            let (contents, strings) = (context.contents, context.strings)
            let result = try await panel.store.history.undo(
                .token(token), force: false, author: author
            ) { key in
                let key = controlKey(key.description)
                guard contents.mayUndo(at: SettingKey(stored: key)) else {
                    let name = contents.title(of: key)
                    throw PanelError(strings("“%@” can’t be changed here, so nothing was undone.", name))
                }
            }
            var response =
                result.conflicts.isEmpty
                ? PanelResponse.redirect(
                    to: form["key"].map { context.path("why", ["key": $0]) } ?? context.panePath(""))
                : pages.problem(409, partlyUndone(result))
            if !result.keys.isEmpty { response.event = .changed(keys: result.keys.map(controlKey)) }
            return response
        } catch let error as PanelError {
            return pages.problem(422, HTML("\(error)"))
        } catch {
            let failure = failure(error)
            return pages.problem(failure.status, failure.sentence)
        }
    }

    /// Returns the key of a setting's control: the declared one, if the value is stored under a name with dots.
    private func controlKey(_ key: String) -> String {
        let hasControl = context.contents.controls.contains { $0.key.description == key }
        return hasControl ? key : panel.store.keys.declaredKey(forKey: key) ?? key
    }

    /// Returns the sentence about the keys that an undo has left alone.
    private func partlyUndone(_ result: UndoResult) -> HTML {
        let strings = context.strings
        let names = result.conflicts.map { conflict in
            [HTML("“"), strings.isolated(context.contents.title(of: controlKey(conflict.key))), HTML("”")]
        }
        let list = HTML(Array(names.joined(separator: [HTML(strings(", "))])))
        return result.keys.isEmpty
            ? strings.html("Changed since, and left alone: %@", list)
            : strings.html("Changed since, and left alone: %@. The others were undone.", list)
    }
}

/// The action of a form's button.
enum FormAction: Sendable, Hashable {
    case save, reset, add
    case remove(Int)
    case up(Int)
    case down(Int)

    init(_ text: String) {
        let words = text.split(separator: " ")
        let index = words.count == 2 ? Int(words[1]) : nil
        switch (words.first, index) {
        case ("reset"?, nil): self = .reset
        case ("add"?, nil): self = .add
        case ("remove"?, let index?): self = .remove(index)
        case ("up"?, let index?): self = .up(index)
        case ("down"?, let index?): self = .down(index)
        default: self = .save
        }
    }
}

extension ControlInput {
    /// Adds, removes or moves a part.
    fileprivate mutating func apply(_ action: FormAction, _ form: FormFields, to kind: ControlKind) {
        switch action {
        case .save: if kind.hasTypedParts, !(form["newPart"] ?? "").isEmpty { append(form) }
        case .add: append(form)
        case .remove(let index): if parts.indices.contains(index) { parts.remove(at: index) }
        case .up(let index): move(index, by: -1)
        case .down(let index): move(index, by: 1)
        case .reset: break
        }
    }

    private mutating func append(_ form: FormFields) {
        parts.append(Part(name: form["newName"] ?? "", text: form["newPart"] ?? ""))
    }

    private mutating func move(_ index: Int, by step: Int) {
        // The index first: that of a request may be any number, to which nothing can be added.
        if parts.indices.contains(index), parts.indices.contains(index + step) { parts.swapAt(index, index + step) }
    }
}

extension ControlKind {
    /// Whether a new part has a text only once a user has typed one.
    fileprivate var hasTypedParts: Bool {
        switch self {
        case .list(.toggle), .list(.choice), .dictionary(.toggle), .dictionary(.choice): false
        case .list, .dictionary: true
        default: false
        }
    }
}
