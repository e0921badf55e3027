import { execFileSync, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

// Plays a video decoder under an attacker's control. Its folder is next to DATA_DIR, which contains the server's key. Prints
// the error of each attempt; an empty text means success.
const [, , port = '', service = ''] = process.argv;
const attempts: Record<string, string> = {};

async function sendUdp(): Promise<void> {
  const socket = dgram.createSocket('udp4');
  socket.bind(0);
  await once(socket, 'listening');
}

async function attempt(name: string, act: () => unknown): Promise<void> {
  try {
    await act();
    attempts[name] = '';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    attempts[name] = code ?? message;
  }
}

await attempt('read its input', () => fs.readFileSync('original'));
await attempt('write its output', () => fs.writeFileSync('video.mp4', 'video'));
await attempt('replace its output', () => fs.renameSync('video.mp4', 'poster.jpg'));
await attempt('run a program', () => execFileSync('/bin/sh', ['-c', 'exit 0']));

await attempt('read server.key', () => fs.readFileSync('../data/server.key'));
await attempt('read /etc/passwd', () => fs.readFileSync('/etc/passwd'));
await attempt('list DATA_DIR', () => fs.readdirSync('../data'));
await attempt("read the service's environment", () => fs.readFileSync(`/proc/${service}/environ`));
await attempt('write to DATA_DIR', () => fs.writeFileSync('../data/file', ''));
await attempt('write to /tmp', () => fs.writeFileSync('/tmp/foreword-hostile', ''));
await attempt('delete server.key', () => fs.unlinkSync('../data/server.key'));
await attempt('truncate server.key', () => fs.truncateSync('../data/server.key'));
await attempt('change the mode of server.key', () => fs.chmodSync('../data/server.key', 0o777));
await attempt('link to server.key in its output', () => fs.symlinkSync('../data/server.key', 'card.jpg'));
await attempt('hard-link server.key', () => fs.linkSync('../data/server.key', 'captions.vtt'));
await attempt('run its own output', () => {
  fs.writeFileSync('program', '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  execFileSync(path.resolve('program'));
});
await attempt('connect by TCP', () => once(net.connect(Number(port), '127.0.0.1'), 'connect'));
await attempt('connect to a Unix socket', () => once(net.connect('../data/socket'), 'connect'));
await attempt('send UDP', () => sendUdp());
await attempt('leave its process group', () => {
  // Not Node's `detached`, which ignores a failure.
  const { status } = spawnSync('perl', ['-MPOSIX', '-e', 'exit(POSIX::setsid() == -1 ? 1 : 0)']);
  if (status !== 0) throw new Error('EPERM');
});
await attempt('signal the service', () => process.kill(Number(service), 0));
fs.writeSync(1, JSON.stringify(attempts));
process.exit(0);
