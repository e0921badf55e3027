// A seccomp filter as the kernel reads it: an array of `struct sock_filter` (u16 code, u8 jt, u8 jf, u32 k).

interface Architecture {
  /** AUDIT_ARCH_… of the kernel. */
  readonly audit: number;
  readonly prctl: number;
  /** Numbers of the denied system calls. */
  readonly denied: readonly number[];
}

/**
 * Landlock restricts none of these. Denied: sockets, io_uring (which can open sockets without that call), reading other
 * processes, leaving the process group that the guard kills, links and devices that the service would follow in the
 * output, and changes to modes, owners, times and attributes of files of the same user.
 */
const DENIED: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  socket: [41, 198],
  io_uring_setup: [425, 425],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  setpgid: [109, 154],
  setsid: [112, 157],
  symlink: [88, null],
  symlinkat: [266, 36],
  link: [86, null],
  linkat: [265, 37],
  mknod: [133, null],
  mknodat: [259, 33],
  truncate: [76, 45],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  utimensat: [280, 88],
  futimesat: [261, null],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  setxattrat: [463, 463],
  removexattrat: [466, 466],
};

const numbers = (index: 0 | 1): number[] => Object.values(DENIED).flatMap((pair) => pair[index] ?? []);

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, prctl: 157, denied: numbers(0) },
  arm64: { audit: 0xc00000b7, prctl: 167, denied: numbers(1) },
};

const [LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06] as const;
const [NUMBER_AT, ARCHITECTURE_AT] = [0, 4] as const;
const [ALLOW, KILL, REFUSE] = [0x7fff0000, 0x80000000, 0x00050001] as const;
/** Calls of the x32 ABI have other numbers. */
const X32 = 0x40000000;

/** `equal` and `other`: how many of the next instructions to skip. */
const instruction = (code: number, k: number, equal = 0, other = 0): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(equal, 2);
  bytes.writeUInt8(other, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
};

export interface Filter {
  /** The number of prctl, which the program that applies the filter needs. */
  readonly prctl: number;
  /** Hexadecimal. Refuses the denied calls with EPERM; a call of another architecture ends the process. */
  readonly code: string;
}

/** Undefined for an architecture whose numbers are not listed here. */
export function makeFilter(architecture: string): Filter | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const { audit, prctl, denied } = known;
  const checks = denied.map((call, index) => instruction(JUMP_IF_EQUAL, call, denied.length - index, 0));
  const code = [
    instruction(LOAD, ARCHITECTURE_AT),
    instruction(JUMP_IF_EQUAL, audit, 1, 0),
    instruction(RETURN, KILL),
    instruction(LOAD, NUMBER_AT),
    instruction(JUMP_IF_AT_LEAST, X32, denied.length + 1, 0),
    ...checks,
    instruction(RETURN, ALLOW),
    instruction(RETURN, REFUSE),
  ];
  return { prctl, code: Buffer.concat(code).toString('hex') };
}
