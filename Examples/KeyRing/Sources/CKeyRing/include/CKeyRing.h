// The system calls of Linux's key rings. On other systems each returns -ENOSYS.
//
// Each returns a negative error number if it fails. Keys are of the type "user", whose contents programs can read.
#ifndef CKEYRING_H
#define CKEYRING_H

#include <stddef.h>
#include <stdint.h>

/// Adds a key to a ring, or replaces the contents of the one with the same description. Returns the key's number.
long keyring_add(const char *description, const void *contents, size_t size, int32_t ring);

/// Returns the number of the key with a description in a ring.
long keyring_find(const char *description, int32_t ring);

/// Copies a key's contents if the buffer is large enough. Returns their size.
long keyring_read(int32_t key, void *buffer, size_t size);

/// Removes a key from a ring. The kernel forgets a key that is in no ring.
long keyring_unlink(int32_t key, int32_t ring);

/// Returns the number of a ring of the calling thread, such as KEY_SPEC_SESSION_KEYRING. Makes no ring.
long keyring_number(int32_t ring);

/// Lets the calling thread use the keys of a ring, even if its session does not have the ring.
long keyring_possess(int32_t ring);

#endif
