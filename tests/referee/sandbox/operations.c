/* Tries every operation of the system calls that do many things by number, and writes on one line which the
   system-call filter let through: "call base:first-last,first-last base:... | call ...".

   Arguments are invalid on purpose: what is let through fails with another error than EPERM. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPERATIONS 1024
#define NOBODY 999999
#define NOWHERE 1

static const uint64_t bases[] = {0,          1ull << 31,    (1ull << 32) - OPERATIONS,
                                 1ull << 32, 1ull << 63,    0ull - (1ull << 31),
                                 0ull - OPERATIONS};

struct call {
    const char *name;
    long number;
    int at; /* Which argument is enumerated. */
    long arguments[5];
};

static const struct call calls[] = {
    {"prctl", SYS_prctl, 0, {0, NOWHERE, NOWHERE, NOWHERE, NOWHERE}},
#ifdef SYS_arch_prctl
    {"arch_prctl", SYS_arch_prctl, 0, {0, -1}},
#endif
    {"setsockopt", SYS_setsockopt, 2, {NOBODY, 1, 0, NOWHERE, 4}},
    {"setrlimit", SYS_setrlimit, 0, {0, NOWHERE}},
    {"prlimit64", SYS_prlimit64, 1, {0, 0, NOWHERE, 0}},
    {"prlimit64 to read", SYS_prlimit64, 1, {0, 0, 0, 0}},
    {"prlimit64 of another", SYS_prlimit64, 1, {1, 0, 0, 0}},
    {"kill", SYS_kill, 1, {NOBODY}},
    {"tkill", SYS_tkill, 1, {NOBODY}},
    {"tgkill", SYS_tgkill, 2, {NOBODY, NOBODY}},
    {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, 1, {NOBODY, 0, NOWHERE}},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, 2, {NOBODY, NOBODY, 0, NOWHERE}},
    {"pidfd_send_signal", 424, 1, {NOBODY, 0, NOWHERE}},
    {"fields of statx", SYS_statx, 3, {-1, NOWHERE, 0, 0, NOWHERE}},
};

static int passes(const struct call *call, uint64_t value) {
    long a[5];
    for (int i = 0; i < 5; i++) a[i] = call->arguments[i];
    a[call->at] = (long)value;
    errno = 0;
    return !(syscall(call->number, a[0], a[1], a[2], a[3], a[4]) == -1 && (errno == EPERM || errno == ENOSYS));
}

int main(void) {
    for (unsigned c = 0; c < sizeof calls / sizeof *calls; c++) {
        printf("%s%s", c ? " | " : "", calls[c].name);
        for (unsigned b = 0; b < sizeof bases / sizeof *bases; b++) {
            printf(" %llu:", (unsigned long long)bases[b]);
            int first = -1;
            const char *comma = "";
            for (int i = 0; i <= OPERATIONS; i++) {
                int is_let = i < OPERATIONS && passes(&calls[c], bases[b] + i);
                if (is_let && first < 0) first = i;
                if (!is_let && first >= 0) {
                    printf("%s%d-%d", comma, first, i - 1);
                    comma = ",";
                    first = -1;
                }
            }
        }
    }
    puts("");
    fflush(stdout);
    getchar();
    return 0;
}
