// As Bionic has it: what tells how to start a process is a pointer, that is `nil` before it is initialized.
#pragma once
#include <signal.h>
#include <sys/types.h>

#define POSIX_SPAWN_SETSIGDEF 4
#define POSIX_SPAWN_SETSIGMASK 8

typedef struct __posix_spawnattr *posix_spawnattr_t;
typedef struct __posix_spawn_file_actions *posix_spawn_file_actions_t;

int posix_spawn(pid_t *_Nullable, const char *_Nonnull, const posix_spawn_file_actions_t _Nonnull *_Nullable,
    const posix_spawnattr_t _Nonnull *_Nullable, char *const _Nullable[_Nullable], char *const _Nullable[_Nullable]);
int posix_spawnattr_init(posix_spawnattr_t _Nullable *_Nonnull);
int posix_spawnattr_destroy(posix_spawnattr_t _Nonnull *_Nonnull);
int posix_spawnattr_setflags(posix_spawnattr_t _Nonnull *_Nonnull, short);
int posix_spawnattr_setsigdefault(posix_spawnattr_t _Nonnull *_Nonnull, const sigset_t *_Nonnull);
int posix_spawnattr_setsigmask(posix_spawnattr_t _Nonnull *_Nonnull, const sigset_t *_Nonnull);
