/* The names of library functions that need no wrap, in groups. */
#include "build/known.h"

#include "base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Each string is a group of names, with a space before and after each name. */
static const char *const pure[] = {
    /* arithmetic */
    " abs labs llabs imaxabs div ldiv lldiv imaxdiv ffs ffsl ffsll ",
    " fabs fabsf fabsl floor floorf floorl ceil ceilf ceill trunc truncf "
    "truncl round roundf roundl rint rintf nearbyint nearbyintf copysign "
    "copysignf fmin fminf fmax fmaxf frexp frexpf modf modff sqrtf cbrt cbrtf "
    "sin sinf cos cosf tan tanf atan atanf atan2f sincos sincosf ",
    /* characters: tables that never change */
    " __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum isalpha "
    "isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper "
    "isxdigit tolower toupper ",
    /* text that is read only */
    " strspn strcspn strpbrk strcasecmp strncasecmp memrchr rawmemchr "
    "strchrnul memmem strcasestr strsep ffs strcoll strverscmp basename ",
    /* memory of the caller */
    " memccpy mempcpy stpncpy swab bzero bcopy bsearch lfind "
    "lsearch __memcpy_chk insque remque ",
    /* jumps and the stack */
    " _setjmp setjmp __sigsetjmp longjmp _longjmp siglongjmp "
    "__longjmp_chk alloca ",
    /* symbols of every object, and functions that do nothing here */
    " __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable "
    "_ITM_registerTMCloneTable __gcc_personality_v0 __stack_chk_guard "
    "__dso_handle "
    "__popcountdi2 __muldi3 __divti3 __modti3 __udivti3 __umodti3 __multi3 "
    "__floattidf __floatuntidf __fixdfti __clzti2 __ctzti2 __paritydi2 ",
    /* data */
    " stdin stdout stderr environ __environ program_invocation_name "
    "program_invocation_short_name ",
    NULL};

static const char *const library[] = {
    /* printing and parsing */
    " printf fprintf sprintf snprintf asprintf dprintf vprintf vfprintf "
    "vsprintf vsnprintf vasprintf vdprintf puts fputs putchar fputc putc "
    "putchar_unlocked putc_unlocked fputc_unlocked fwrite fwrite_unlocked "
    "fflush fflush_unlocked perror psignal __printf_chk __fprintf_chk "
    "__sprintf_chk __snprintf_chk __vprintf_chk __vfprintf_chk "
    "__vsprintf_chk __vsnprintf_chk __asprintf_chk __dprintf_chk "
    "sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc23_sscanf "
    "__isoc23_vsscanf "
    "setbuf setvbuf setlinebuf fileno ferror feof clearerr ",
    " atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof "
    "strtold strtoimax strtoumax __isoc23_strtol __isoc23_strtoll "
    "__isoc23_strtoul __isoc23_strtoull __isoc23_strtoimax "
    "__isoc23_strtoumax strtok_r ",
    " strerror strerror_r __xpg_strerror_r strsignal errno __errno_location "
    "error error_at_line warn warnx __tls_get_addr ",
    /* text, wide text, locale */
    " wcslen wcscpy wcscmp wmemcpy wmemset wmemcmp mbstowcs wcstombs mbrtowc "
    "wcrtomb btowc wctob setlocale localeconv nl_langinfo ",
    /* mathematics that sets errno */
    " sqrt sqrtl pow powf powl exp expf exp2 exp2f expm1 log logf log2 log2f "
    "log10 log10f log1p fmod fmodf fmodl remainder asin asinf acos acosf atan2 "
    "sinh cosh tanh asinh acosh atanh hypot hypotf ldexp ldexpf scalbn scalbln "
    "lround lroundf llround llroundf lrint lrintf llrint llrintf erf erfc "
    "tgamma lgamma fdim fma fmaf logb ilogb nextafter __pow_finite "
    "feraiseexcept feclearexcept fetestexcept fegetround fesetround ",
    /* questions about the process, which change nothing */
    " getenv secure_getenv getpid getppid getuid geteuid getgid gettid "
    "getpagesize sysconf get_nprocs get_nprocs_conf getauxval isatty uname "
    "gethostname atexit __cxa_atexit on_exit __cxa_thread_atexit "
    "pthread_attr_init pthread_attr_destroy pthread_attr_setstacksize "
    "pthread_attr_getstacksize pthread_attr_setdetachstate "
    "pthread_attr_getdetachstate pthread_attr_setscope pthread_equal "
    "pthread_mutexattr_init pthread_mutexattr_destroy "
    "pthread_mutexattr_settype pthread_mutexattr_gettype "
    "pthread_mutexattr_setpshared pthread_mutexattr_setprotocol "
    "pthread_mutexattr_setrobust pthread_condattr_init "
    "pthread_condattr_destroy pthread_condattr_setclock "
    "pthread_condattr_setpshared pthread_rwlockattr_init "
    "pthread_rwlockattr_destroy pthread_rwlockattr_setkind_np "
    "pthread_rwlockattr_setpshared pthread_barrierattr_init "
    "pthread_barrierattr_destroy pthread_barrierattr_setpshared "
    "pthread_setname_np pthread_getname_np pthread_setaffinity_np "
    "pthread_getaffinity_np pthread_setcancelstate pthread_setcanceltype "
    "pthread_testcancel pthread_setconcurrency pthread_attr_setaffinity_np "
    "sched_setaffinity sched_getaffinity sched_get_priority_max "
    "sched_get_priority_min __sched_cpucount __sched_cpualloc "
    "__sched_cpufree thrd_equal pthread_cleanup_push pthread_cleanup_pop "
    "_pthread_cleanup_push _pthread_cleanup_pop __pthread_register_cancel "
    "__pthread_unregister_cancel ",
    /* signals, as far as none comes */
    " signal sigaction sigemptyset sigfillset sigaddset sigdelset sigismember "
    "sigprocmask pthread_sigmask sigaltstack dlerror ",
    /* dates */
    " localtime localtime_r gmtime gmtime_r mktime timegm strftime difftime "
    "asctime asctime_r ctime ctime_r clock_getres ",
    NULL};

/*
 * Functions of the above that read or write memory of their caller, and that
 * the runtime does not redirect (wraps.h): their accesses are not seen.
 * Functions that only print are not listed; accesses of a callback (bsearch)
 * are seen.
 */
static const char *const unseen[] = {
    " lsearch insque remque swab strcoll strverscmp ",
    " sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc23_sscanf "
    "__isoc23_vsscanf "
    "__asprintf_chk __printf_chk __fprintf_chk __vsprintf_chk __vprintf_chk "
    "__vfprintf_chk dprintf vdprintf __dprintf_chk fwrite_unlocked "
    "strtold strtoimax strtoumax __isoc23_strtoimax __isoc23_strtoumax ",
    " strftime asctime_r ctime_r localtime_r gmtime_r mktime timegm "
    "strerror_r __xpg_strerror_r ",
    " wmemcmp mbstowcs wcstombs mbrtowc wcrtomb ", NULL};

/* The same for C++: a part of the symbol, and the name for users. */
static const struct {
  const char *part, *name;
} cxx_unseen[] = {{"_List_node_base", "std::list"},
                  {"_Rb_tree_", "std::map"},
                  {"_ZNSt7__cxx1112basic_string", "std::string"},
                  {"_ZNKSt7__cxx1112basic_string", "std::string"}};

/* Tables that the compiler makes: typeinfo, its name, virtual functions. */
static const char *const cxx_data[] = {"_ZTI", "_ZTS", "_ZTV", "_ZTT", NULL};

/* Symbols of the C++ runtime begin so … */
static const char *const cxx_begins[] = {
    "_ZSt",           "_ZNSt",   "_ZNKSt",  "_ZNSo",    "_ZNSs",
    "_ZNSi",          "_ZNKSs",  "_ZTVN10", "_ZTISt",   "_ZTVSt",
    "_ZTTSt",         "_ZTTNSt", "_ZTSSt",  "_ZTINSt",  "_ZTVNSt",
    "_ZTIN10",        "_ZTIi",   "_ZTI",    "_ZTS",     "_ZN9__gnu_cxx",
    "_ZNK9__gnu_cxx", "__cxa_",  "__gxx_",  "_Unwind_", "_ZNVSt",
    "__dynamic_cast", "_ZGVNSt", "_ZNKSo",  NULL};

/* … except those that wait for another thread, or start one. */
static const char *const cxx_waits[] = {"condition_variable",
                                        "6thread",
                                        "13__future_base",
                                        "atomic_futex",
                                        "11this_thread",
                                        "call_once",
                                        "__once_",
                                        "13recursive_mutex",
                                        "semaphore",
                                        "latch",
                                        "jthread",
                                        "promise",
                                        "_ZSt4cin",
                                        "_ZNSi",
                                        "filebuf",
                                        "4sync",
                                        "barrier",
                                        NULL};

static bool in_groups(const char *const *groups, const char *name) {
  size_t n = strlen(name);
  assert(n);
  for (; *groups; groups++)
    for (const char *p = *groups; (p = strstr(p, name)); p++)
      if (p[-1] == ' ' && p[n] == ' ')
        return true;
  return false;
}

static bool any_begins(const char *const *list, const char *name) {
  for (; *list; list++)
    if (begins(name, *list))
      return true;
  return false;
}

static bool any_contains(const char *const *list, const char *name) {
  for (; *list; list++)
    if (strstr(name, *list))
      return true;
  return false;
}

const char *known_unseen(const char *name) {
  static const char *const prefix[] = {"__isoc99_", "__isoc23_", "__xpg_"};
  for (size_t i = 0; i < sizeof cxx_unseen / sizeof *cxx_unseen; i++)
    if (*name == '_' && strstr(name, cxx_unseen[i].part))
      return cxx_unseen[i].name;
  if (!*name || !in_groups(unseen, name))
    return NULL;
  for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
    if (begins(name, prefix[i]))
      return name + strlen(prefix[i]);
  return name;
}

bool known_prints(const char *name) {
  static const char *const files[] = {
      " printf fprintf vprintf vfprintf puts fputs fwrite ", NULL};
  return *name && in_groups(files, name);
}

enum known known_function(const char *name) {
  if (!*name)
    return KNOWN_NOT;
  if (any_begins(cxx_data, name)) /* the object reads them by hooks */
    return KNOWN_LIBRARY;
  if (in_groups(pure, name))
    return KNOWN_PURE;
  if (in_groups(library, name))
    return KNOWN_LIBRARY;
  if (any_begins(cxx_begins, name) && !any_contains(cxx_waits, name))
    return KNOWN_LIBRARY;
  return KNOWN_NOT;
}
