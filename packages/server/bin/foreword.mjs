#!/usr/bin/env node
// Plain JavaScript, because the Node that starts it may be too old to run TypeScript.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 26;
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function findUpwards(name) {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const found = path.join(folder, name);
    if (fs.existsSync(found)) return found;
    const parent = path.dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => refuse(`cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function refuse(line) {
  process.stderr.write(`foreword: ${line}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  const node = findUpwards('node_modules/.bin/node');
  // Running the same Node again would loop forever.
  if (node === undefined || fs.realpathSync(node) === fs.realpathSync(process.execPath)) {
    refuse(
      `needs Node ${OLDEST_MAJOR} or later, not ${process.versions.node}: install it, or on Linux the npm package ` +
        `node-linux-${process.arch}@${OLDEST_MAJOR} next to Foreword`,
    );
  }
  runWith(node);
} else {
  const { prepareModules } = await import('../src/platform/process.ts');
  prepareModules();
  await import('../src/cli/main.ts');
}
