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

/// A mutual-exclusion lock that is taken and released by hand.
///
/// `Synchronization.Mutex` can't span the `yield` of a `_modify` accessor, since it only offers a closure, and it
/// occasionally causes false reports of the thread sanitizer in debug builds. A heap-allocated `pthread_mutex_t` costs
/// about the same (12 ns taken and released without contention), is understood by the sanitizer, and never moves. The
/// lock is a part of its owner rather than an object, which spares each use a load and its owner an allocation.
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {
    // Sendable: the mutex is allocated once, lives as long as this value, and is only accessed by pthread functions.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        #if canImport(Glibc)
            // Spin first: most critical sections are shorter than putting a thread to sleep and waking it. Darwin spins
            // by itself.
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            defer { pthread_mutexattr_destroy(&attributes) }
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
            let result = pthread_mutex_init(mutex, &attributes)
        #else
            let result = pthread_mutex_init(mutex, nil)
        #endif
        precondition(result == 0, "pthread_mutex_init failed with error \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @usableFromInline
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    /// Takes the lock if it is free.
    package func tryLock() -> Bool {
        pthread_mutex_trylock(mutex) == 0
    }

    @usableFromInline
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }

    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
