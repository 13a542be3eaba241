/// A store's entry in a list of open stores. It is notified when the store's storage has been closed.
protocol StoreRegistration: AnyObject, Sendable {
    /// Closing the last handle failed, and the store is open again.
    func closingFailed()
    /// The storage is closed, or closing failed after the store was deallocated. Either way it can be opened again.
    func end()
}
