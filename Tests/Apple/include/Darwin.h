// Only what Settle calls, as Apple's SDK declares it (64-bit inodes, LP64). Written by hand; nothing is linked against it.
#pragma once
#include <stdint.h>
#include <stddef.h>
typedef long ssize_t, time_t; typedef int32_t dev_t, pid_t, blksize_t; typedef uint16_t mode_t, nlink_t;
typedef uint64_t ino_t; typedef uint32_t uid_t, gid_t; typedef int64_t off_t, blkcnt_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct stat {
  dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize; uint32_t st_flags, st_gen; int32_t st_lspare; int64_t st_qspare[2];
};
struct dirent { uint64_t d_ino, d_seekoff; uint16_t d_reclen, d_namlen; uint8_t d_type; char d_name[1024]; };
typedef struct _DIR DIR;
struct flock { off_t l_start, l_len; pid_t l_pid; short l_type, l_whence; };
struct _opaque_pthread_t { long __sig; void *__cleanup_stack; char __opaque[8176]; };
typedef struct _opaque_pthread_t *pthread_t;
typedef struct { long __sig; char __opaque[56]; } pthread_mutex_t;
typedef struct { long __sig; char __opaque[8]; } pthread_mutexattr_t;
typedef enum { _CLOCK_REALTIME = 0, _CLOCK_MONOTONIC = 6, _CLOCK_MONOTONIC_RAW = 4, _CLOCK_UPTIME_RAW = 8 } clockid_t;
int sysctlbyname(const char *, void *, size_t *, void *, size_t);
typedef void (*sig_t)(int);
typedef uint32_t sigset_t; struct __siginfo;
union __sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct __siginfo *, void *); };
struct sigaction { union __sigaction_u __sigaction_u; sigset_t sa_mask; int sa_flags; };
int sigaction(int, const struct sigaction * _Nullable, struct sigaction * _Nullable);
ssize_t read(int, void *, size_t), write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t), pwrite(int, const void *, size_t, off_t);
int renameatx_np(int, const char *, int, const char *, unsigned int);
int ftruncate(int, off_t), close(int), flock(int, int), fsync(int);
int fstat(int, struct stat *), lstat(const char *, struct stat *), stat(const char *, struct stat *);
int fchown(int, uid_t, gid_t), fchmod(int, mode_t), fchmodat(int, const char *, mode_t, int), mkdir(const char *, mode_t);
int rename(const char *, const char *), link(const char *, const char *), unlink(const char *);
ssize_t readlink(const char *, char *, size_t);
int fstatat(int, const char *, struct stat *, int), mkdirat(int, const char *, mode_t), unlinkat(int, const char *, int);
int renameat(int, const char *, int, const char *), linkat(int, const char *, int, const char *, int);
struct passwd {
  char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; time_t pw_change; char *pw_class, *pw_gecos, *pw_dir, *pw_shell; time_t pw_expire;
};
int getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd * _Nullable * _Nullable);
DIR *fdopendir(int);
DIR *opendir(const char *); struct dirent *readdir(DIR *); int closedir(DIR *);
char *strerror(int);
sig_t signal(int, sig_t); int kill(pid_t, int); pid_t getpid(void); uid_t geteuid(void); int gethostname(char *, size_t);
int atexit(void (*)(void)), usleep(unsigned int), sched_yield(void), nanosleep(const struct timespec *, struct timespec *), clock_gettime(clockid_t, struct timespec *);
typedef uint8_t sa_family_t; typedef uint32_t socklen_t;
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_un { unsigned char sun_len; sa_family_t sun_family; char sun_path[104]; };
struct timeval { time_t tv_sec; int32_t tv_usec; };
int socket(int, int, int), setsockopt(int, int, int, const void *, socklen_t);
ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
pthread_t pthread_self(void);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *), pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
typedef unsigned long pthread_key_t;
int pthread_key_create(pthread_key_t *, void (* _Nullable)(void *)), pthread_setspecific(pthread_key_t, const void * _Nullable);
void * _Nullable pthread_getspecific(pthread_key_t);
#define STDERR_FILENO 2
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_EXCL 0x0800
#define O_EVTONLY 0x8000
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_SYMLINK 0x200000
#define O_CLOEXEC 0x1000000
#define AT_FDCWD (-2)
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_REMOVEDIR 0x0080
#define F_SETFD 2
#define FD_CLOEXEC 1
#define F_FULLFSYNC 51
#define AF_UNIX 1
#define SOCK_DGRAM 2
#define SOL_SOCKET 0xffff
#define SO_SNDBUF 0x1001
#define SO_SNDTIMEO 0x1005
#define RENAME_SWAP 0x00000002
#define F_BARRIERFSYNC 85
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define PATH_MAX 1024
#define SIGHUP 1
#define SIGINT 2
#define SIGTERM 15
#define SIGKILL 9
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ESRCH 3
#define EBADF 9
#define EACCES 13
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EMSGSIZE 40
#define ERANGE 34
#define ENOTSUP 45
#define ELOOP 62
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EOPNOTSUPP 102
