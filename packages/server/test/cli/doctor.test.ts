import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { checkDatabasePackage, isOutdated } from '../../src/cli/doctor/machine.ts';

test('minor releases of PostgreSQL are compared as numbers', () => {
  expect(['18.0.0-beta.15', '18.4.0-beta.17', '18.6.1'].map(isOutdated)).toEqual([true, true, true]);
  expect(['18.7.0-beta.1', '18.10.0', '18.100.0'].map(isOutdated)).toEqual([false, false, false]);
});

test('doctor says what the embedded database is for, and warns exactly if it is outdated', () => {
  const { status, message, next } = checkDatabasePackage(readConfig({ DATA_DIR: '/nowhere' }));
  expect(message).toContain('for evaluation and small installations');
  const [, version = ''] = /package (\S+)/.exec(message) ?? [];
  expect(status).toBe(isOutdated(version) ? 'warning' : 'ok');
  expect(next === null).toBe(status === 'ok');
});

test('doctor does not judge the embedded database when DATABASE_URL is set', () => {
  expect(checkDatabasePackage(readConfig({ DATABASE_URL: 'postgresql://db/foreword' }))).toMatchObject({
    status: 'ok',
  });
});
