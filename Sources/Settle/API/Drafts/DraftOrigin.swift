import Synchronization

/// The group that a draft follows.
///
/// A draft begins as boxes that read through to the original. Its engine is created only when more is needed, because
/// it costs more than everything else.
final class DraftOrigin<Group: SettingsGroup>: DraftSource, @unchecked Sendable {
    // Sendable: `boxes` is guarded by `making` once the draft is shared; the rest is constant and Sendable.

    let original: Group
    private let originalEngine: Engine?
    /// The draft's boxes, in the order of the original's settings, until the engine has them.
    @exclusivity(unchecked) private var boxes: [AnySettingBox] = []
    private let made = AtomicLazyReference<DraftEngine>()

    init(_ original: consuming Group) {
        originalEngine = original.engine
        self.original = original
    }

    /// Creates a box of the draft, before the draft is shared.
    func follow(_ box: AnySettingBox) -> AnySettingBox {
        let own = box.original.followed(in: self)
        boxes.append(own)
        return own
    }

    var engine: DraftEngine { made.load() ?? makeEngine() }

    func open() { _ = engine }

    private func makeEngine() -> DraftEngine {
        // Calls the group's type, which is foreign code, before the lock is taken.
        let declarations = GroupLayout(original).settings
        return making.withLock {
            if let engine = made.load() { return engine }
            let engine = DraftEngine(sharing: originalEngine)
            engine.open(takeBoxes(), as: declarations, of: original)
            return made.storeIfNil(engine)
        }
    }

    private func takeBoxes() -> [AnySettingBox] {
        defer { boxes = [] }
        return boxes
    }

    /// Ends the draft when nothing uses it any more. Drops the boxes, because they reference this object.
    fileprivate func end() {
        let boxes = making.withLock { takeBoxes() }
        withExtendedLifetime(boxes) { made.load()?.end() }
    }
}

/// Held while a draft's engine is created. Recursive, because there are drafts of drafts. Taken before any log's lock.
private let making = RecursiveLock()

/// Keeps a draft open: referenced by its settings and by their followers.
final class DraftKeeper<Group: SettingsGroup>: Keeper, @unchecked Sendable {
    // Sendable: a constant.
    let origin: DraftOrigin<Group>

    init(of origin: DraftOrigin<Group>) { self.origin = origin }

    deinit {
        origin.end()
    }
}
