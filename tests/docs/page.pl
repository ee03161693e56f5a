#!/usr/bin/perl
# Runs the commands of a page and compares what it shows with what they print.
#
#   page.pl PAGE.md [--update]      in an empty folder; see run.sh
#
# A ```console block is a session: lines that begin with "$ " are commands,
# "> " goes on with one, as does what follows a \; the lines below are their
# output, both streams.  All commands of a page run in one shell, in the page's order.
#  - A command must end with status 0, unless the next one is `echo $?`, which
#    shows what it must be.
#  - A command without output below may print what it likes.  Otherwise the
#    whole output is compared; a line "…" stands for any lines, "…" inside of a
#    line for any text.  Names of saved files and seconds may differ.  So may how
#    much was searched (the numbers of "…, seed 1" and below it), but only where
#    it is not the same everywhere: with another compiler than the one that the
#    pages were written with, with a time limit, and on real threads.  Else a
#    page would go on showing what the program printed long ago.
#
# A comment before a block says what else is to be done with it:
#   <!-- file: NAME -->        the block is written to NAME
#   <!-- from: NAME -->        its lines stand in NAME, one after the other
#   <!-- not run: WHY -->      a session or script that cannot be run here
#   <!-- run by: TEST -->      another test runs it
#   <!-- needs: PROGRAM -->    passed by where there is no such program
# and <!-- run: COMMAND --> runs something that the reader need not see.
# <!-- papers: SECTION --> belongs to bench/papers/run, which writes what follows.
#
# Scripts (```sh) need one of these comments, and no other block may look like a
# session: so no command is forgotten.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($page, $update) = @ARGV;
my $source = $ENV{SOURCE_DIR} or die "SOURCE_DIR is not set\n";
my $scratch = $ENV{DOCS_SCRATCH} or die "DOCS_SCRATCH is not set\n";
my @lines = slurp($page);
my $failures = 0;
# How much is searched depends on the compiler's code.
my $compiler = $ENV{DOCS_COMPILER} // `gcc -dumpversion 2>/dev/null` // '';
my $counts_differ = $compiler !~ /^12\b/;

sub slurp {
  my ($name) = @_;
  open my $f, '<', $name or die "$name: $!\n";
  chomp(my @l = <$f>);
  return @l;
}

sub spew {
  my ($name, @l) = @_;
  open my $f, '>', $name or die "$name: $!\n";
  print $f map { "$_\n" } @l;
  close $f or die "$name: $!\n";
}

sub fail {
  my ($line, @text) = @_;
  $failures++;
  print "FAIL $page:$line: ", join("\n     | ", @text), "\n";
}

# ---- The page as a list of things to do. ----

my @todo; # kind, line, …
my %mark; # comments before the next block

sub block {
  my ($language, $first, @body) = @_;
  my %m = %mark;
  %mark = ();
  if (defined $m{file}) {
    push @todo, {kind => 'file', line => $first, name => $m{file}, body => \@body};
  }
  if (defined $m{from}) {
    fail($first, "$m{from} has not these lines") unless stands_in($m{from}, @body);
  }
  if (defined $m{'run by'}) {
    my $test = "$source/$m{'run by'}";
    my $name = $page =~ s{.*/}{}r;
    -e $test && grep { index($_, $name) >= 0 } slurp($test)
      or fail($first, "$m{'run by'} does not know this page");
    return;
  }
  return if defined $m{'not run'} || defined $m{file};
  if ($language eq 'console') {
    session($first, $m{needs}, @body);
  } elsif ($language =~ /^(sh|bash|shell)$/) {
    fail($first, "a script that nothing runs; say why");
  } elsif (grep { /^\s*\$ / } @body or
           $language eq '' && grep { /^(faultline|cc|make|cmake) / } @body) {
    fail($first, "looks like a session, but is no console block");
  }
}

sub stands_in {
  my ($name, @body) = @_;
  my $text = join "\n", '', slurp("$source/$name"), '';
  return index($text, join "\n", '', @body, '') >= 0;
}

sub session {
  my ($first, $needs, @body) = @_;
  my $open; # the command whose lines come now
  for my $i (0 .. $#body) {
    my $text = $body[$i];
    if ($open && ($open->{goes_on} || $text =~ /^> /)) {
      $open->{text} .= "\n" . $text =~ s/^> //r;
      $open->{goes_on} = $text =~ /\\$/;
    } elsif ($text =~ /^\$ (.*)/) {
      $open = {kind => 'command', line => $first + $i, text => "$1", shown => [],
               needs => $needs, goes_on => scalar($text =~ /\\$/)};
      push @todo, $open;
    } elsif ($open) {
      push @{$open->{shown}}, $text;
    } else {
      fail($first + $i, "output without a command");
    }
    $open->{last} = $first + $i if $open;
  }
}

my ($fence, $language, $first, @body);
for my $i (0 .. $#lines) {
  my $text = $lines[$i];
  if (defined $fence) {
    if ($text eq $fence) {
      block($language, $first, @body);
      undef $fence;
    } else {
      push @body, $text;
    }
  } elsif ($text =~ /^(```+)(\w*)/) {
    ($fence, $language, $first, @body) = ($1, $2, $i + 2);
  } elsif ($text =~ /^<!-- ([a-z ]+): (.*?) -->$/) {
    my ($key, $value) = ($1, $2);
    if ($key eq 'run') {
      push @todo, {kind => 'command', line => $i + 1, text => $value,
                   shown => [], hidden => 1};
    } elsif ($key =~ /^(file|from|not run|run by|needs)$/) {
      $mark{$key} = $value;
    } elsif ($key ne 'papers') {
      fail($i + 1, "what is \"$key\"?");
    }
  } elsif ($text =~ /\S/) {
    fail($i + 1, "a comment that no block follows") if %mark;
    %mark = ();
    fail($i + 1, "a comment or a block that does not begin its line")
      if $text =~ /.<!-- [a-z ]+: |^\s+```/ || $text =~ /^<!-- [a-z ]+: /;
    fail($i + 1, "looks like a session, but is no console block")
      if $text =~ /^ {4,}(\$ |faultline )/;
  }
}
fail(scalar @lines, "a block without end") if defined $fence;

# ---- All of it as one script. ----

my @script = ('__s=0', 'set +e');
my $n = 0;
for my $t (@todo) {
  $n++;
  if ($t->{kind} eq 'file') {
    spew("$scratch/file.$n", @{$t->{body}});
    push @script, "mkdir -p \"\$(dirname '$t->{name}')\"",
      "cp '$scratch/file.$n' '$t->{name}'";
    next;
  }
  my ($program) = split ' ', $t->{needs} // '';
  if ($program && system("command -v $program >/dev/null 2>&1")) {
    print "passed by, since there is no $program: $t->{text}\n";
    $t->{skipped} = 1;
    next;
  }
  $t->{n} = $n;
  spew("$scratch/command.$n", $t->{text});
  # As its own statement, so that $? is the status of the one before.
  push @script, "(exit \$__s)",
    ". '$scratch/command.$n' >'$scratch/output.$n' 2>&1 </dev/null",
    "__s=\$?", "echo \$__s >'$scratch/status.$n'";
}
spew("$scratch/script", @script);
system 'bash', "$scratch/script";

# ---- What came of it. ----

# Both sides are made alike in what may differ.
sub alike {
  my $loose = shift;
  my @out;
  my $tail; # what stands below a summary is joined: its lines are broken anew
  for my $text (@_) {
    my $l = $text;
    $l =~ s/\s+$//;
    $l =~ s/-[0-9a-f]{8}\.(schedule|html|history)/-HASH.$1/g;
    $l =~ s/\b\d+(\.\d+)?( ?m?s\b| seconds?\b)/N$2/g;
    if (defined $tail && $l =~ /^  \S/) {
      $tail .= $l =~ s/^ +/ /r =~ s/\d[\d,]*/N/gr;
      next;
    }
    push @out, $tail if defined $tail && $tail ne '';
    undef $tail;
    if ($loose && $l =~ /^\S.*, seed \d+$/) {
      $l =~ s/\b\d[\d,]* (client|execution|round)s?/N $1s/g;
      $tail = '';
    }
    push @out, $l;
  }
  push @out, $tail if defined $tail && $tail ne '';
  pop @out while @out && $out[-1] eq '';
  return @out;
}

# Lines of the page against lines of the output, with "…" for any.
sub matches {
  my ($shown, $got) = @_;
  my $pattern = '';
  for my $l (@$shown) {
    if ($l =~ /^\s*(…|\.\.\.)$/) {
      $pattern .= '(?:[^\n]*\n)*?';
    } else {
      $pattern .= join('[^\n]*', map { quotemeta } split /…/, $l, -1) . '\n';
    }
  }
  return join('', map { "$_\n" } @$got) =~ /^$pattern$/;
}

my %replace; # by the number of the line: what comes instead of the output
for my $k (0 .. $#todo) {
  my $t = $todo[$k];
  next unless $t->{n};
  my $have = "$scratch/status.$t->{n}";
  if (!-e $have) {
    fail($t->{line}, "not reached: $t->{text}");
    next;
  }
  my ($status) = slurp($have);
  my @output = slurp("$scratch/output.$t->{n}");
  my $told = $k < $#todo && ($todo[$k + 1]{text} // '') eq 'echo $?';
  if ($status != 0 && !$told) {
    fail($t->{line}, "status $status: $t->{text}", @output);
    next;
  }
  my @shown = @{$t->{shown}};
  next if !@shown;
  if ($update && !grep { /…|^\s*\.\.\.$/ } @shown) {
    pop @output while @output && $output[-1] eq '';
    $replace{$t->{last} - @shown} = [scalar @shown, @output];
    next;
  }
  my $loose = $counts_differ || $t->{text} =~ /--time\b|--search=stress/;
  next if matches([alike($loose, @shown)], [alike($loose, @output)]);
  fail($t->{line}, "$t->{text} prints something else:", @output);
}
if (%replace) {
  for my $at (sort { $b <=> $a } keys %replace) {
    my ($count, @new) = @{$replace{$at}};
    splice @lines, $at, $count, @new;
  }
  spew($page, @lines);
}
my $run = grep { $_->{n} && !$_->{hidden} } @todo;
print "$run commands\n";
exit($failures > 0);
