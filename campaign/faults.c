/* Preloaded into a command: makes one call fail, by the environment.
 * LANE_FAULT="NAME NUMBER ERRNO": the call of that number, from 1; ERRNO 0 is a short write or read, and a
 * negative one a signal, which arrives just before the call.
 * NAME: output (writes to standard output), input (reads of standard input), file (writes to regular files),
 * read (reads of files below the folder LANE_FAULT_BELOW), open (opening a file for writing), sync, rename, or
 * clock (the time of day jumps by a day, forth and back, at every reading).
 * LANE_FAULT_EVERYWHERE: in the processes that it starts too, each of which counts its own calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char kind[16];
static int number, code, calls;

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("LANE_FAULT");
    if (given) sscanf(given, "%15s %d %d", kind, &number, &code);
    if (!getenv("LANE_FAULT_EVERYWHERE")) unsetenv("LANE_FAULT");
}

/* Lets the campaign know that the fault happened. */
static void tell(void) {
    const char *told = getenv("LANE_FAULT_TOLD");
    FILE *file = told ? fopen(told, "w") : NULL;
    if (file) fclose(file);
}

/* 1 if the call fails now; `size` is halved for a short one. */
static int fails(const char *name, size_t *size) {
    if (strcmp(kind, name) || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) != number) return 0;
    tell();
    if (code < 0) {
        raise(-code);
        return 0;
    }
    errno = code;
    if (!code) *size = (*size + 1) / 2;
    return code != 0;
}

static int is_regular(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/* The files of Python itself are read by thousands of calls, which are no part of the command. */
static int is_below(int file) {
    const char *folder = getenv("LANE_FAULT_BELOW");
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = folder ? readlink(link, path, sizeof path) : -1;
    return size > 0 && (size_t)size > strlen(folder) && !strncmp(path, folder, strlen(folder));
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    if (file == 1 ? fails("output", &size) : file != 2 && is_regular(file) && fails("file", &size)) return -1;
    return real(file, data, size);
}

ssize_t read(int file, void *data, size_t size) {
    REAL(read);
    if (file == 0 ? fails("input", &size) : !strcmp(kind, "read") && is_below(file) && fails("read", &size))
        return -1;
    return real(file, data, size);
}

static int fails_to_open(const char *path, int flags) {
    size_t none = 0;
    return (flags & (O_WRONLY | O_RDWR)) && strncmp(path, "/dev/", 5) && fails("open", &none);
}

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails_to_open(path, flags) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails_to_open(path, flags) ? -1 : real(path, flags, mode);
}

int fsync(int file) {
    REAL(fsync);
    size_t none = 0;
    return is_regular(file) && fails("sync", &none) ? -1 : real(file);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    size_t none = 0;
    return fails("rename", &none) ? -1 : real(from, to);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int done = real(clock, now);
    if (!strcmp(kind, "clock") && clock == CLOCK_REALTIME) {
        if (!calls++) tell();
        now->tv_sec += calls % 2 ? 86400 : -86400;
    }
    return done;
}
