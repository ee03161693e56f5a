#!/usr/bin/perl
# Directives in the first comments of clients, litmus tests and examples
# (tests/run-client, scripts/gallery) are all read.  One that a formatter has
# moved into another line would be an expectation that nobody checks; so would
# those of a file that no test runs.
#
#   tests/directives.pl         all files; BUILD_DIR says which tests there are
#   tests/directives.pl FILE…   only what stands in these
use strict;
use warnings;
use File::Find;

my $root = $ENV{SOURCE_DIR} || '.';
# Who reads which words.
my %words = (
  'tests/run-client' => [qw(CC OPT PACKAGE RUN EXIT VERDICT FAULT EXECUTIONS OUTCOMES
    CLIENT KIND OUTPUT NOOUTPUT ANSWERS LINE)],
  'scripts/gallery' => [qw(RUN VERDICT FAULT BLAME)],
);
my $any = join '|', map { @$_ } values %words;
my $failures = 0;

sub fail {
  $failures++;
  print "FAIL @_\n";
}

sub slurp {
  my ($name) = @_;
  open my $in, '<', $name or die "$name: $!\n";
  local $/;
  return <$in>;
}

# The directives of a file, as words.
sub directives {
  my ($name, $text) = @_;
  my ($comment) = $text =~ m{^(.*?)\s*\*/}s;
  my (@words, $more, $below);
  for (split /\n/, $comment // '') {
    s/^ \* ?//;
    my $goes_on = /\\$/;
    if ($more) {
      # what a \ has continued
    } elsif (/^($any): /) {
      push @words, $1;
      $below = 1;
    } elsif ($_ eq '') {
      $below = 0;
    } elsif ($below) {
      fail("$name: right below a directive, and none itself: $_");
    }
    $more = $goes_on && ($more || /^($any): /);
  }
  my $written = () = $text =~ /(?:^|[^A-Za-z_])(?:$any): /mg;
  fail("$name: $written directives are written, " . @words . ' are read')
    if $written != @words;
  return @words;
}

# Which test runs the files?
sub reader_of {
  my ($name, $tests) = @_;
  return 'scripts/gallery' if $name =~ m{^examples/gallery/[^/]*\.c$};
  return 'tests/run-client' if $tests =~ m{/run-client" "[^"]*/\Q$name\E"};
  return '';
}

if (@ARGV) {
  directives($_, slurp($_)) for @ARGV;
  exit($failures > 0);
}

# What must be noticed.
sub notices {
  my ($what, $text) = @_;
  my $before = $failures;
  open my $out, '>&', \*STDOUT or die $!;
  close STDOUT;
  open STDOUT, '>', \my $ignored or die $!;
  directives('example', $text);
  close STDOUT;
  open STDOUT, '>&', $out or die $!;
  my $found = $failures > $before;
  $failures = $before;
  return $found;
}
fail('a good comment is refused')
  if notices('good', "/*\n * A.\n *\n * RUN: %s \\\n *     -x\n * EXIT: 1\n *\n * B.\n */\n");
fail('a directive within a line is not noticed')
  if !notices('within', "/*\n * RUN: %s EXIT: 1\n */\n");
fail('a broken line is not noticed')
  if !notices('broken', "/*\n * OUTPUT: a b\n * c\n */\n");
fail('a directive in a later comment is not noticed')
  if !notices('later', "/*\n * RUN: %s\n */\nint a; /* EXIT: 1 */\n");

my $tests = slurp("$ENV{BUILD_DIR}/CTestTestfile.cmake");
my @files;
chdir $root or die "$root: $!\n";
find({no_chdir => 1, wanted => sub { push @files, $_ if /\.(c|cpp|h|hpp)$/ }},
  'tests/clients', 'tests/litmus', 'examples');
my ($read, $all) = (0, join '', map { slurp($_) }
  glob('Makefile tests/*.cmake tests/cli/*.sh tests/unit/*/*.c docs/*.md'),
  @files);
for my $name (sort @files) {
  my @words = directives($name, slurp($name));
  my $reader = reader_of($name, $tests);
  my ($base) = $name =~ m{([^/]+)$};
  if ($reader) {
    $read++;
    my %known = map { $_ => 1 } @{ $words{$reader} };
    fail("$name: $reader does not read $_") for grep { !$known{$_} } @words;
    fail("$name: there is nothing to run") if !grep { $_ eq 'RUN' } @words;
  } elsif (@words) {
    fail("$name: it has directives, and no test runs it");
  } elsif ($all !~ /\Q$base\E/) {
    fail("$name: nobody uses it");
  }
}
fail("only $read files were read") if $read < 200;
exit($failures > 0);
