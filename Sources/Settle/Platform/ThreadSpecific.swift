#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A reference that each thread has for itself; a new thread has none.
///
/// It is not counted: whoever sets it keeps the object alive until it is set to something else.
struct ThreadSpecific<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "pthread_key_create failed with error \(result)")
        self.key = key
    }

    var value: Unmanaged<Object>? {
        get { pthread_getspecific(key).map { .fromOpaque($0) } }
        nonmutating set {
            let result = pthread_setspecific(key, newValue?.toOpaque())
            precondition(result == 0, "pthread_setspecific failed with error \(result)")
        }
    }
}
