#include "CKeyRing.h"

#include <errno.h>

#ifdef __linux__

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long checked(long result) {
    return result < 0 ? -(long)errno : result;
}

long keyring_add(const char *description, const void *contents, size_t size, int32_t ring) {
    return checked(syscall(SYS_add_key, "user", description, contents, size, (long)ring));
}

long keyring_find(const char *description, int32_t ring) {
    return checked(syscall(SYS_keyctl, (long)KEYCTL_SEARCH, (long)ring, "user", description, 0L));
}

long keyring_read(int32_t key, void *buffer, size_t size) {
    return checked(syscall(SYS_keyctl, (long)KEYCTL_READ, (long)key, buffer, size, 0L));
}

long keyring_unlink(int32_t key, int32_t ring) {
    return checked(syscall(SYS_keyctl, (long)KEYCTL_UNLINK, (long)key, (long)ring, 0L, 0L));
}

long keyring_number(int32_t ring) {
    return checked(syscall(SYS_keyctl, (long)KEYCTL_GET_KEYRING_ID, (long)ring, 0L));
}

long keyring_possess(int32_t ring) {
    return checked(
        syscall(SYS_keyctl, (long)KEYCTL_LINK, (long)ring, (long)KEY_SPEC_PROCESS_KEYRING, 0L, 0L));
}

#else

long keyring_add(const char *description, const void *contents, size_t size, int32_t ring) {
    return -ENOSYS;
}

long keyring_find(const char *description, int32_t ring) {
    return -ENOSYS;
}

long keyring_read(int32_t key, void *buffer, size_t size) {
    return -ENOSYS;
}

long keyring_unlink(int32_t key, int32_t ring) {
    return -ENOSYS;
}

long keyring_number(int32_t ring) {
    return -ENOSYS;
}

long keyring_possess(int32_t ring) {
    return -ENOSYS;
}

#endif
