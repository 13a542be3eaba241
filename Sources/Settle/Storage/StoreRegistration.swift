/// A store's place in a list of open stores, which is told when the store's storage has been closed.
protocol StoreRegistration: AnyObject, Sendable {
    /// The last handle could not be closed, and is open again. Told once it is.
    func closingFailed()
    /// The storage is closed, or could not be when the store went away: it can be opened anew.
    func end()
}
