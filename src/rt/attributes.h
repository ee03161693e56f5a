/*
 * How the engine's functions are compiled and seen.
 *
 * The code under test is loaded into this process and finds only the entry
 * points of cmake/exports.list.  All else is FL_HIDDEN, or a function of the
 * user's with the same name would replace it.
 */
#ifndef RT_ATTRIBUTES_H
#define RT_ATTRIBUTES_H

#define FL_HIDDEN __attribute__((visibility("hidden")))
#define FL_HOT __attribute__((hot))
#define FL_INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
