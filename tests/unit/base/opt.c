#include "base/opt.h"
#include "test.h"

static bool verbose, quiet, color, seed_given;
static int threads, mode, heap;
static uint64_t seed, memory;
static double seconds;
static const char *json;
static struct opt_words clients;

static const struct opt opts[] = {
    {"threads", 't', OPT_INT, &threads, "N", "threads of a client", "Search",
     .min = 1, .max = 8},
    {"seed", 's', OPT_UINT64, &seed, "N", "seed of all choices", "Search",
     .given = &seed_given},
    {"time", 0, OPT_DOUBLE, &seconds, "SECONDS", "stop after so long", "Search",
     .min = 0, .max = 1000},
    {"memory", 'm', OPT_SIZE, &memory, "BYTES", "limit of the visited set",
     "Search"},
    {"strategy", 0, OPT_ENUM, &mode, "NAME", "how to search", "Search",
     .choices = (const char *const[]){"dfs", "random", "replay", NULL}},
    {"heap", 0, OPT_ENUM, &heap, "WHICH", "reuse hands memory out again",
     "Search", .choices = (const char *const[]){"keep", "reuse", NULL}},
    {"client", 0, OPT_LIST, &clients, "CLIENT",
     "test this client and no other; may be given several times, in the "
     "notation of the papers",
     "Search"},
    {"json", 0, OPT_STRING, &json, "FILE", "write the report", "Output"},
    {"color", 0, OPT_FLAG, &color, NULL, "colours", "Output"},
    {"verbose", 'v', OPT_FLAG, &verbose, NULL, "say more", "Output"},
    {"quiet", 'q', OPT_FLAG, &quiet, NULL, NULL, "Output"},
    {0}};

static const struct opt_command command = {
    .usage = "faultline FILE... [options]\nfaultline --help",
    .about = "Tests a concurrent object.",
    .opts = opts,
    .notes = "Exit status: 0, 1, 2, 3."};

static struct opt_rest rest;
static struct error error;

/* Parses the words of a line; blanks separate. */
static int parse(const char *line) {
  static char copy[500];
  static char *argv[50];
  int argc = 1;
  argv[0] = copy;
  verbose = quiet = seed_given = false;
  color = true;
  threads = mode = heap = 0;
  seed = memory = 0;
  seconds = 0;
  json = NULL;
  vec_free(&clients);
  opt_rest_free(&rest);
  error = (struct error){0};
  snprintf(copy, sizeof copy, "%s", line);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
    argv[argc++] = w;
  return opt_parse(&command, argc, argv, &rest, &error);
}

TEST(takes_values_in_every_form) {
  CHECK_INT(parse("--threads=3 --seed 0xff -m64K --time .5 a.c -v b.c"), 0);
  CHECK_INT(threads, 3);
  CHECK_INT(seed, 255);
  CHECK(seed_given);
  CHECK_INT(memory, 65536);
  CHECK(seconds == 0.5);
  CHECK(verbose);
  CHECK_INT(rest.args.len, 2);
  CHECK_STR(rest.args.at[1], "b.c");
  CHECK_INT(parse("-t 2 -vq --json=a=b --json=- -"), 0);
  CHECK_INT(threads, 2);
  CHECK(quiet && verbose);
  CHECK_STR(json, "-");
  CHECK(!seed_given);
  CHECK_STR(rest.args.at[0], "-");
}

TEST(lists_collect) {
  CHECK_INT(parse("--client=a --client b"), 0);
  CHECK_INT(clients.len, 2);
  CHECK_STR(clients.at[1], "b");
}

TEST(flags_are_negated_by_no) {
  CHECK_INT(parse(""), 0);
  CHECK(color);
  CHECK_INT(parse("--no-color"), 0);
  CHECK(!color);
  CHECK_INT(parse("--no-color --color"), 0);
  CHECK(color);
  CHECK_INT(parse("--no-seed"), ERR_USAGE);
  CHECK_STR(error.text, "--seed cannot be negated");
  CHECK_INT(parse("--color=yes"), ERR_USAGE);
  CHECK_STR(error.text, "--color takes no value");
}

TEST(two_dashes_hand_over_the_rest) {
  CHECK_INT(parse("a.c -- -O2 --seed -v --"), 0);
  CHECK(rest.dashes && !verbose);
  CHECK_INT(rest.args.len, 1);
  CHECK_INT(rest.after.len, 4);
  CHECK_STR(rest.after.at[0], "-O2");
  CHECK_STR(rest.after.at[3], "--");
  CHECK_INT(parse("a.c --"), 0);
  CHECK(rest.dashes && !rest.after.len);
  CHECK_INT(parse("a.c"), 0);
  CHECK(!rest.dashes);
}

static void check_error(const char *line, const char *text) {
  CHECK_INT(parse(line), ERR_USAGE);
  CHECK_STR(error.text, text);
}

TEST(suggests_the_nearest_name) {
  check_error("--sede=3", "unknown option --sede; did you mean --seed?");
  check_error("--thread 3", "unknown option --thread; did you mean --threads?");
  check_error("--verb", "unknown option --verb; did you mean --verbose?");
  check_error("--no-colour",
              "unknown option --no-colour; did you mean --no-color?");
  check_error("-json", "unknown option -json; did you mean --json?");
  check_error("--xyzzy", "unknown option --xyzzy; see --help");
  check_error("-z", "unknown option -z; see --help");
  check_error("-DX", "unknown option -D; see --help");
  check_error("--strategy=rnadom", "--strategy: \"rnadom\" is not dfs, random "
                                   "or replay; did you mean random?");
  check_error("--strategy=", "--strategy: \"\" is not dfs, random or replay");
}

/* Of a command that takes them, behind "--". */
static void check_flag(const char *flag, const char *text) {
  const struct opt_command takes = {
      .usage = "faultline FILE... [-- compiler flags]", .opts = opts};
  char *argv[] = {(char *)"faultline", (char *)"x.c", (char *)(uintptr_t)flag};
  opt_rest_free(&rest);
  error = (struct error){0};
  CHECK_INT(opt_parse(&takes, 3, argv, &rest, &error),
            *text ? ERR_USAGE : ERR_NONE);
  CHECK_STR(error.text, text);
}

TEST(flags_of_the_compiler_stand_behind_two_dashes) {
  check_flag("-DX", "-DX is a compiler flag: these come after --, as "
                    "in: -- -DX");
  check_flag("-std=c99", "-std=c99 is a compiler flag: these come "
                         "after --, as in: -- -std=c99");
  check_flag("-s3", "");   /* the command's own */
  check_flag("-m64M", ""); /* not -m64 */
  check_flag("-json", "unknown option -json; did you mean --json?");
  check_flag("-z", "unknown option -z; see --help");
}

TEST(numbers_are_whole_and_in_range) {
  check_error("--threads=2x", "--threads: \"2x\" is not a whole number");
  check_error("--threads=", "--threads: \"\" is not a whole number");
  check_error("--threads=0", "--threads: 0 is not between 1 and 8");
  check_error("-t -1", "--threads: -1 is not between 1 and 8");
  check_error("-t 99999999999999999999",
              "--threads: 99999999999999999999 is not between 1 and 8");
  check_error("--seed=-1",
              "--seed: \"-1\" is not a whole number, zero or more");
  check_error("--seed=0x",
              "--seed: \"0x\" is not a whole number, zero or more");
  CHECK_INT(parse("--seed=18446744073709551615"), 0);
  CHECK(seed == UINT64_MAX);
  check_error("--seed=18446744073709551616",
              "--seed: 18446744073709551616 is too large or too small");
  CHECK_INT(parse("--seed=010"), 0);
  CHECK_INT(seed, 10); /* not octal */
}

TEST(decimal_numbers_are_finite) {
  CHECK_INT(parse("--time=1e2"), 0);
  CHECK(seconds == 100);
  check_error("--time=inf", "--time: \"inf\" is not a number");
  check_error("--time=nan", "--time: \"nan\" is not a number");
  check_error("--time=3s", "--time: \"3s\" is not a number");
  check_error("--time=.", "--time: \".\" is not a number");
  check_error("--time=1e999", "--time: 1e999 is not between 0 and 1000");
  check_error("--time=-1", "--time: -1 is not between 0 and 1000");
}

TEST(sizes_have_suffixes) {
  CHECK_INT(parse("--memory=10"), 0);
  CHECK_INT(memory, 10);
  CHECK_INT(parse("--memory=3g"), 0);
  CHECK_INT(memory, 3ll << 30);
  CHECK_INT(parse("--memory=2MiB"), 0);
  CHECK_INT(memory, 2 << 20);
  CHECK_INT(parse("--memory=16777215T"), 0);
  CHECK(memory == 16777215ull << 40);
  check_error("--memory=16777216T",
              "--memory: 16777216T is too large or too small");
  check_error("--memory=1X", "--memory: \"1X\" is not a size such as 64M");
  check_error("--memory=M", "--memory: \"M\" is not a size such as 64M");
}

TEST(a_missing_value_is_an_error) {
  check_error("--seed", "--seed needs a value: --seed=N");
  check_error("-t", "--threads needs a value: --threads=N");
  check_error("--json -- x", "--json needs a value: --json=FILE");
  check_error("--json --verbose",
              "--json needs a value, not an option; if \"--verbose\" is meant, "
              "write --json=--verbose");
}

TEST(help_is_asked_for) {
  CHECK_INT(parse("--help --nonsense"), 0);
  CHECK(rest.help);
  CHECK_INT(parse("-vh"), 0);
  CHECK(rest.help);
}

TEST(help_comes_from_the_table) {
  struct buf b = {0};
  parse("");
  opt_help(&command, &b);
  CHECK_STR(
      buf_text(&b),
      "Usage: faultline FILE... [options]\n"
      "       faultline --help\n"
      "\n"
      "Tests a concurrent object.\n"
      "\n"
      "Search:\n"
      "  -t, --threads=N          threads of a client\n"
      "  -s, --seed=N             seed of all choices\n"
      "      --time=SECONDS       stop after so long\n"
      "  -m, --memory=BYTES       limit of the visited set\n"
      "      --strategy=NAME      how to search: dfs, random or replay\n"
      "      --heap=WHICH         reuse hands memory out again\n"
      "      --client=CLIENT      test this client and no other; may be given "
      "several\n"
      "                           times, in the notation of the papers\n"
      "\n"
      "Output:\n"
      "      --json=FILE          write the report\n"
      "      --[no-]color         colours\n"
      "  -v, --verbose            say more\n"
      "\n"
      "Exit status: 0, 1, 2, 3.\n");
  for (char *line = strtok(b.at, "\n"); line; line = strtok(NULL, "\n"))
    CHECK(strlen(line) <= 80);
  buf_free(&b);
}

TEST(nearest_knows_when_nothing_is_near) {
  const char *const words[] = {"test", "explore", "replay", "cc", NULL};
  CHECK_STR(opt_nearest("tset", words), "test");
  CHECK_STR(opt_nearest("explroe", words), "explore");
  CHECK_STR(opt_nearest("expl", words), "explore");
  CHECK_STR(opt_nearest("stack.c", words), NULL);
  CHECK_STR(opt_nearest("", words), NULL);
}

TEST(frees_what_it_collected) {
  parse("");
  opt_rest_free(&rest);
  vec_free(&clients);
  CHECK(!rest.args.at && !rest.after.at && !clients.at);
}

TEST_MAIN
