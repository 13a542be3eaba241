#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// A thread-local reference; `nil` in a new thread.
///
/// Not retained: the code that sets it keeps the object alive until it sets something else.
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
