import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from './programs.ts';

const UNIT = path.join(import.meta.dirname, '../../../../deploy/systemd/foreword.service');

const analyze = (...args: string[]) =>
  promisify(execFile)(findProgram('systemd-analyze', 'systemd'), args, {
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  });

test('systemd accepts the unit without a warning', async () => {
  const { stdout, stderr } = await analyze('verify', UNIT);
  expect(stdout + stderr).toBe('');
});

test('systemd rates what the unit could reach at most 2 of 10, where 10 is a service without any restriction', async () => {
  // Fails with a non-zero exit code above the threshold, which is ten times as large.
  const { stdout } = await analyze('security', '--offline=true', '--threshold=20', UNIT);
  expect(stdout).toMatch(/Overall exposure level for foreword\.service: [01]\.\d/);
});
