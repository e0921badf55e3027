import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from './programs.ts';

const UNIT = path.join(import.meta.dirname, '../../../../deploy/systemd/foreword.service');

const analyze = (...args: string[]) =>
  promisify(execFile)(findProgram('systemd-analyze', 'systemd'), args, {
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  });

const unit = (name: string) => path.join(path.dirname(UNIT), name);

test.each([['foreword.service'], ['foreword-backup.service'], ['foreword-backup.timer']])(
  'systemd accepts %s without a warning',
  async (name) => {
    const { stdout, stderr } = await analyze('verify', unit(name));
    expect(stdout + stderr).toBe('');
  },
);

test('systemd runs the backup once a night', async () => {
  const [, calendar = ''] = /^OnCalendar=(.*)$/m.exec(await readFile(unit('foreword-backup.timer'), 'utf8')) ?? [];
  const { stdout } = await analyze('calendar', '--iterations=2', '--base-time=2026-03-10 12:00:00', calendar);
  expect(stdout).toMatch(/2026-03-11 03:30:00/);
  expect(stdout).toMatch(/2026-03-12 03:30:00/);
});

test('systemd rates what the unit could reach at most 2 of 10, where 10 is a service without any restriction', async () => {
  // Fails with a non-zero exit code above the threshold, which is ten times as large.
  const { stdout } = await analyze('security', '--offline=true', '--threshold=20', UNIT);
  expect(stdout).toMatch(/Overall exposure level for foreword\.service: [01]\.\d/);
});
