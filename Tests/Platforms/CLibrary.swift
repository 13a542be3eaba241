// What Swift's own module of each C library adds to the headers, so far as the sources use it. The names are those of
// the C library.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
@_exported import CLibrary

public var errno: Int32 {
    get { fatalError() }
    set { fatalError() }
}
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 {
    fatalError()
}
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public typealias Handler = @convention(c) (Int32) -> Void
public var SIG_DFL: Handler? { nil }
public var SIG_IGN: Handler { fatalError() }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }

// As the standard library declares it for all C libraries, because C's has variable arguments.
public func ioctl(_ file: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt { fatalError() }
