import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-ci-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const report = (status: string) => {
  const tests = [{ fullName: 'a title', status, failureMessages: status === 'failed' ? ['a reason'] : [] }];
  return JSON.stringify({ testResults: [{ name: `${ROOT}/a.test.ts`, status, assertionResults: tests }] });
};
const writes = (status: string, code: number) => `printf %s '${report(status)}' >"$report"; exit ${code}`;

/** Runs .ci/run with a shell script in place of npm, npx and apt-get. `$report` is the file that vitest would write, if any. */
function runWith(script: string): { code: number | null; output: string } {
  const bin = fs.mkdtempSync(path.join(folder, 'bin-'));
  const reads = `report=; for a in "$@"; do case $a in --outputFile.json=*) report=\${a#*=};; esac; done`;
  // npm ci and npm run have no report.
  const body = `#!/bin/bash\n${reads}\n[ -n "$report" ] || exit 0\n${script}\n`;
  for (const name of ['npm', 'npx', 'apt-get', 'sudo']) fs.writeFileSync(path.join(bin, name), body, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, FOREWORD_CI: '' };
  const { status, stdout } = spawnSync('bash', ['.ci/run'], { cwd: ROOT, env, encoding: 'utf8' });
  return { code: status, output: stdout };
}

test('a complete check that ran nothing fails, and names each suite', () => {
  const { code, output } = runWith('exit 0');
  expect(code).toBe(1);
  for (const suite of [/test-[\w,-]+/, /acceptance-slow-[\w,-]+/, /slow/, /browser/, /s3/, /cluster/])
    expect(output).toMatch(new RegExp(`FAILED: ${suite.source}: ran no test, or did not run to its end`));
  expect(output).toMatch(/\n0 passed, 0 failed, 0 skipped\n$/);
});

test('a suite that is killed fails the check', () => {
  const { code, output } = runWith('kill -9 $$');
  expect(code).toBe(1);
  expect(output).toContain('FAILED: browser: ran no test, or did not run to its end (exit code 137)');
});

test('a suite that ends badly although its tests passed fails the check', () => {
  const { code, output } = runWith(writes('passed', 1));
  expect(code).toBe(1);
  expect(output).toContain('FAILED: browser: ended with exit code 1, although no test failed');
});

test('a test that fails twice fails the check', () => {
  const { code, output } = runWith(writes('failed', 1));
  expect(code).toBe(1);
  expect(output).toMatch(/FAILED: browser: a\.test\.ts: a title\n {2}a reason/);
});

test('a test that passes only in its second run is listed as flaky', () => {
  const { output } = runWith(`case $report in *again*) ${writes('passed', 0)};; *) ${writes('failed', 1)};; esac`);
  expect(output).toMatch(/flaky: .*\n {2}a\.test\.ts: a title\n/);
  expect(output).not.toContain('FAILED: browser');
});

test('skipped tests are counted as skipped, and a suite of nothing else fails the check', () => {
  const { code, output } = runWith(writes('skipped', 0));
  expect(code).toBe(1);
  expect(output).toMatch(/FAILED: browser: ran no test/);
  expect(output).toMatch(/\n0 passed, 0 failed, [1-9]\d* skipped\n$/);
});
