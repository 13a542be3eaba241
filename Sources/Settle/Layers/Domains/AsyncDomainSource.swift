/// A source that waits for changes in a task, such as for the elements of an asynchronous sequence.
///
/// The store runs this task on the queue on which it also loads the source, so a change and its load need one thread.
///
/// ```swift
/// final class Flags: AsyncDomainSource {
///     func follow(_ changed: @escaping @Sendable () -> Void) async {
///         for await _ in service.updates { changed() }
///     }
///     …
/// }
/// ```
///
/// - Note: Not settled: a version 0.x may still change it.
public protocol AsyncDomainSource: DomainSource {
    /// Calls a function whenever something may have changed, until its task is cancelled.
    ///
    /// Called once, after the first load, instead of ``DomainSource/watch(_:)``. A change between that load and this
    /// call must be reported too. `changed` returns immediately, and may be called on any thread. The store cancels the
    /// task before it calls ``DomainSource/close()``, and does not wait for its end. If this function returns earlier,
    /// only ``SettingsStore/reload()`` finds later changes. It must not block its thread, which also loads the domain.
    func follow(_ changed: @escaping @Sendable () -> Void) async
}
