/* Every function that user code is redirected from leads somewhere. */
#include "build/wraps.h"
#include "test.h"

#include <dlfcn.h>
#include <stdint.h>

static const char *const names[] = {
#define WRAP_NAME(NAME) #NAME,
    WRAPS(WRAP_NAME)
#undef WRAP_NAME
};

TEST(every_wrap_is_defined_and_exported) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[256];
    snprintf(name, sizeof name, "__wrap_%s", names[i]);
    if (!CHECK(dlsym(RTLD_DEFAULT, name) != NULL))
      fprintf(stderr, "  missing: %s\n", name);
  }
}

TEST(no_wrap_is_listed_twice) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 0; j < i; j++)
      if (!CHECK(strcmp(names[i], names[j]) != 0))
        fprintf(stderr, "  twice: %s\n", names[i]);
}

/* Before an object is loaded there is one thread and no scheduler: wrappers
 * change state and make no step. */
TEST(without_an_engine_a_wrapper_just_works) {
  int (*key_create)(unsigned *, void (*)(void *)) =
      (int (*)(unsigned *, void (*)(void *)))(uintptr_t)dlsym(
          RTLD_DEFAULT, "__wrap_pthread_key_create");
  int (*lock)(void *) = (int (*)(void *))(uintptr_t)dlsym(
      RTLD_DEFAULT, "__wrap_pthread_mutex_lock");
  int (*trylock)(void *) = (int (*)(void *))(uintptr_t)dlsym(
      RTLD_DEFAULT, "__wrap_pthread_mutex_trylock");
  int (*unlock)(void *) = (int (*)(void *))(uintptr_t)dlsym(
      RTLD_DEFAULT, "__wrap_pthread_mutex_unlock");
  unsigned a = 99, b = 99;
  CHECK_INT(key_create(&a, NULL), 0);
  CHECK_INT(key_create(&b, NULL), 0);
  CHECK(a != b);
  uint64_t mutex[5] = {0};
  CHECK_INT(lock(mutex), 0);
  CHECK(trylock(mutex) != 0);
  CHECK_INT(unlock(mutex), 0);
  CHECK_INT(trylock(mutex), 0);
  CHECK_INT(unlock(mutex), 0);
  uint64_t zero[5] = {0};
  CHECK(memcmp(mutex, zero, sizeof mutex) == 0); /* equal situation and bytes */
}

TEST_MAIN
