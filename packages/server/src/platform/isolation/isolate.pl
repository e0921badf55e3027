# Restricts itself, then becomes the given command. In Perl, because Node cannot call the kernel without an addon, while
# perl-base is part of every Debian and Ubuntu, including the image (docs/decisions/0010). A failed step ends it with 125,
# so that the command never runs with less isolation than was asked for.
#
# Arguments: prctl's number, the filter, "files" or "", the uid and gid to run as or "", "root" or "", what is readable,
# "--", the command. The working directory becomes writable.

use strict;
my ($prctl, $filter, $files, $account, $root, @rest) = @ARGV;
sub fail { print STDERR "isolation failed: $_[0]: $!\n"; exit 125 }
sub control { syscall($prctl, $_[0], $_[1], $_[2] // 0, 0, 0) }

# Access rights by the version of Landlock: 1 to 3 for files, 5 for devices, 4 for TCP, 6 for signals and abstract sockets.
my ($READ, $WRITE, $TRUNCATE) = (0x1 | 0x4 | 0x8, 0x2 | 0x4 | 0x8 | 0x20 | 0x100, 0x4000);
my $ruleset;
sub allow {
  my ($path, $rights) = @_;
  # O_PATH | O_CLOEXEC. A path that does not exist on this system needs no rule.
  sysopen(my $handle, $path, 0x280000) or return;
  $rights &= 0x1 | 0x2 | 0x4 | $TRUNCATE unless -d $path;
  syscall(445, $ruleset, 1, my $rule = pack('Ql', $rights, fileno $handle), 0) == 0 or fail("rule for $path");
}
my @readable;
while (@rest and (my $path = shift @rest) ne '--') { push @readable, $path }
if ($files) {
  my $version = syscall(444, 0, 0, 1);
  $version > 0 or fail('Landlock');
  $TRUNCATE = 0 if $version < 3;
  my $rights = 0x1fff | ($version >= 2 ? 0x2000 : 0) | $TRUNCATE | ($version >= 5 ? 0x8000 : 0);
  my $attributes = pack('QQQ', $rights, $version >= 4 ? 0x3 : 0, $version >= 6 ? 0x3 : 0);
  $ruleset = syscall(444, $attributes, $version >= 6 ? 24 : $version >= 4 ? 16 : 8, 0);
  $ruleset >= 0 or fail('ruleset');
  allow($_, $READ) for @readable;
  allow('/dev/null', 0x2 | 0x4 | $TRUNCATE);
  allow('.', $WRITE | $TRUNCATE);
}
if ($root) {
  # PR_CAPBSET_DROP, until the number of the last capability is exceeded; PR_CAP_AMBIENT_CLEAR_ALL.
  for (my $capability = 0; control(24, $capability) == 0; $capability++) {}
  control(47, 4);
}
if ($account ne '') {
  my ($uid, $gid) = split /:/, $account;
  $) = "$gid $gid";
  $( = $gid;
  ($<, $>) = ($uid, $uid);
  $< == $uid && $> == $uid && $( =~ /^$gid\b/ && $) =~ /^$gid\b/ or fail("user $account");
}
# PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with a filter.
control(38, 1) == 0 or fail('no_new_privs');
if ($files) { syscall(446, $ruleset, 0) == 0 or fail('restriction') }
my $code = pack('H*', $filter);
my $description = pack('Sx6P', length($code) / 8, $code);
syscall($prctl, 22, 2, $description) == 0 or fail('seccomp');
exec { $rest[0] } @rest or fail($rest[0]);
