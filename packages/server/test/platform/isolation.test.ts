import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { findIsolation } from '../../src/platform/isolation.ts';

// Expects Linux 5.13 or newer with Landlock, and perl (package perl-base), as on Debian 12 and in the image.

const run = promisify(execFile);
const CHILD = path.join(import.meta.dirname, 'isolation.child.ts');
const HOSTILE = path.join(import.meta.dirname, 'hostile.child.ts');
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** As in a container with `--cap-drop=all --security-opt=no-new-privileges`. */
const AS_NOBODY = [
  ...['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs'],
  ...['--bounding-set=-all', '--inh-caps=-all'],
];

async function listen(server: net.Server, at: number | string): Promise<void> {
  server.listen(at as number);
  await once(server, 'listening');
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-isolation-'));
// Open to everybody, so that only the isolation protects them.
fs.chmodSync(folder, 0o777);
fs.mkdirSync(path.join(folder, 'data'));
fs.writeFileSync(path.join(folder, 'data/server.key'), 'secret');
for (const name of ['data', 'data/server.key']) fs.chmodSync(path.join(folder, name), 0o777);
const servers = [net.createServer(), net.createServer()];
const [tcp, unix] = servers as [net.Server, net.Server];
await listen(tcp, 0);
await listen(unix, path.join(folder, 'data/socket'));
fs.chmodSync(path.join(folder, 'data/socket'), 0o777);
const port = (tcp.address() as net.AddressInfo).port;

afterAll(async () => {
  for (const server of servers) server.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

interface Attacked {
  readonly description: string;
  readonly isComplete: boolean;
  readonly attempts: Record<string, string>;
}

async function attack(owner: number, prefix: readonly string[]): Promise<Attacked> {
  const work = fs.mkdtempSync(path.join(folder, 'work-'));
  fs.writeFileSync(path.join(work, 'original'), 'take');
  for (const name of ['', 'original', '../data', '../data/server.key'])
    fs.chownSync(path.join(work, name), owner, owner);
  const [command = '', ...args] = [...prefix, process.execPath, CHILD, work, String(port), HOSTILE];
  return JSON.parse((await run(command, args)).stdout);
}

const ALLOWED = ['read its input', 'write its output', 'replace its output', 'run a program'];

test.each([
  ['root', isRoot ? 0 : (process.getuid?.() ?? 0), [], isRoot],
  ['an ordinary user without privileges', isRoot ? NOBODY : (process.getuid?.() ?? 0), isRoot ? AS_NOBODY : [], false],
] as const)(
  'a hostile program started by %s reaches only its own folder: no other file, process or address',
  async (_user, owner, prefix, isStartedByRoot) => {
    const { description, isComplete, attempts } = await attack(owner, prefix);
    const account = isStartedByRoot ? ', as user 65533' : '';
    expect({ description, isComplete }).toEqual({
      description: `only their own files (Landlock), no network (seccomp)${account}`,
      isComplete: true,
    });
    const succeeded = Object.keys(attempts).filter((name) => attempts[name] === '');
    expect(succeeded).toEqual(ALLOWED);
    expect(new Set(Object.values(attempts))).toEqual(new Set(['', 'EACCES', 'EPERM']));
    expect(fs.readFileSync(path.join(folder, 'data/server.key'), 'utf8')).toBe('secret');
  },
);

// Needs root.
test.runIf(isRoot)(
  'root that keeps its programs to itself isolates them as root without capabilities, and says why',
  async () => {
    const own = fs.mkdtempSync(path.join(folder, 'own-'));
    fs.copyFileSync('/bin/cat', path.join(own, 'cat'));
    fs.chmodSync(path.join(own, 'cat'), 0o755);
    const work = fs.mkdtempSync(path.join(folder, 'work-'));
    const cat = [path.join(own, 'cat'), '/proc/self/status'];
    const isolation = await findIsolation({ trial: cat, readable: [own], folder: work });
    expect(isolation).toMatchObject({
      description: `only their own files (Landlock), no network (seccomp), as root without capabilities; more failed: ${cat[0]}: Permission denied`,
      isComplete: false,
    });
    const [command = '', ...args] = isolation.wrap(cat);
    const { stdout } = await run(command, args, { cwd: work });
    expect(stdout).toMatch(/^CapEff:\s+0+$/m);
    expect(stdout).toMatch(/^CapBnd:\s+0+$/m);
    expect(stdout).toMatch(/^Seccomp:\s+2$/m);
  },
);

test('a command is never started with less isolation than was found', async () => {
  const work = fs.mkdtempSync(path.join(folder, 'work-'));
  const isolation = await findIsolation({ trial: ['/bin/true'], readable: [], folder: work });
  const [command = '', ...args] = isolation.wrap(['/bin/sh', '-c', 'echo started']);
  // A filter that the kernel refuses.
  const broken = args.map((text) => (/^[0-9a-f]{100,}$/.test(text) ? 'ff'.repeat(8) : text));
  const failed = await run(command, broken, { cwd: work }).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 125,
    stdout: '',
    stderr: expect.stringMatching(/^isolation failed: seccomp: /),
  });
});
