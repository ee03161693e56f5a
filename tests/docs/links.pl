#!/usr/bin/perl
# What can be seen of the pages without running anything:
#  - links to files and headings lead somewhere, pictures too,
#  - every page of docs/ is in its index, every picture is used, and small,
#  - every option that a page names is one of the tool ($FAULTLINE) or known to
#    be another program's,
#  - lines of text have 80 columns, or a few more.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my $source = $ENV{SOURCE_DIR} or die "SOURCE_DIR is not set\n";
my $tool = $ENV{FAULTLINE} or die "FAULTLINE is not set\n";
chdir $source or die "$source: $!\n";
my $failures = 0;

sub fail {
  print 'FAIL ', @_, "\n";
  $failures++;
}

sub slurp {
  my ($name) = @_;
  open my $f, '<', $name or die "$name: $!\n";
  chomp(my @l = <$f>);
  return @l;
}

# Lines outside of code, by number; code keeps its place as an empty line.
sub prose {
  my $fence;
  return map {
    my $l = $_;
    if (defined $fence) {
      undef $fence if $l eq $fence;
      $l = '';
    } elsif ($l =~ /^(```+)/) {
      $fence = $1;
      $l = '';
    }
    $l;
  } @_;
}

# A heading as GitHub names it.
sub anchor {
  my ($text) = @_;
  $text =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
  $text = lc $text;
  $text =~ s/[^\w\- ]//g;
  return $text =~ tr/ /-/r;
}

my %anchors;
sub anchors_of {
  my ($page) = @_;
  return $anchors{$page} //= do {
    my (%all, %seen);
    for (prose(slurp($page))) {
      next unless /^#+ (.*)/;
      my $a = anchor($1);
      my $n = $seen{$a}++;
      $all{$n ? "$a-$n" : $a} = 1;
    }
    \%all;
  };
}

# The path with a/../ taken out.
sub plain {
  my @parts;
  for (split m{/}, $_[0]) {
    next if $_ eq '.' || $_ eq '';
    if ($_ eq '..' && @parts) { pop @parts } else { push @parts, $_ }
  }
  return join '/', @parts;
}

my @pages = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', glob('docs/*.md'),
             glob('bench/*.md'), glob('examples/*.md examples/*/*.md'));
@pages = grep { -e } @pages;
my %linked;
for my $page (@pages) {
  my ($folder) = $page =~ m{^(.*/)} ? $1 : '';
  my $text = join "\n", prose(slurp($page));
  $text =~ s/`[^`]*`/code/g;
  while ($text =~ /\]\(([^)\s]+)\)/g) {
    my $to = $1;
    next if $to =~ m{^https?://};
    my ($file, $heading) = $to =~ /^([^#]*)(?:#(.*))?$/;
    my $path = $file eq '' ? $page : plain("$folder$file");
    if (!-e $path) {
      fail("$page: $to: there is no $path");
      next;
    }
    $linked{$page}{$path} = 1;
    fail("$page: $to: there is no such heading")
      if defined $heading && !anchors_of($path)->{$heading};
  }
}

for my $page (glob 'docs/*.md') {
  next if $page eq 'docs/README.md';
  fail("$page is not in docs/README.md") unless $linked{'docs/README.md'}{$page};
}
my %pictures = map { map { $_ => 1 } keys %$_ } values %linked;
for my $picture (glob 'docs/pictures/*') {
  fail("no page shows $picture") unless $pictures{$picture};
  fail("$picture has ", -s $picture, " bytes") if -s $picture > 150_000;
}

# ---- Options ----

my %known = map { $_ => 1 } qw(
  --bind-to --enable-recovery --continuous --component --preset --list
  --cflags --libs --variable --depth --test-dir --wrap --mpi --install --update
);
my $help = '';
for my $command ('test', `'$tool' completion bash` =~ /\b([a-z][a-z-]+)\b/g) {
  next if $known{"command $command"}++;
  $help .= `'$tool' help '$command' 2>/dev/null </dev/null` // '';
}
$known{$_} = 1 for $help =~ /(--[a-z][a-z-]*)/g;
for my $page ('README.md', glob 'docs/*.md') {
  my %told;
  for (map { /`([^`]+)`/g } prose(slurp($page))) {
    for my $option (/(?<![\w-])(--[a-z][a-z-]*)/g) {
      fail("$page: what is $option?") unless $known{$option} || $told{$option}++;
    }
  }
}

# ---- Columns ----

for my $page ('README.md', glob 'docs/*.md') {
  my $n = 0;
  for (prose(slurp($page))) {
    $n++;
    next if /^\s*\|/ || /^ {4}/ || /^<!--/ || length() <= 84;
    next unless substr($_, 0, 84) =~ /\S \S/;
    fail("$page:$n has ", length(), ' columns');
  }
}
print "all as expected\n" unless $failures;
exit($failures > 0);
