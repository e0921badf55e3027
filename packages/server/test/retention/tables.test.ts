import fs from 'node:fs';
import path from 'node:path';
import { RETENTION_RULES } from '@foreword/contract';
import { expect, test } from 'vitest';
import { TABLE_RETENTION } from '../../src/retention/index.ts';
import { PARTS } from '../../src/retention/store/parts.ts';

const schema = fs.readFileSync(path.join(import.meta.dirname, '../../schema.sql'), 'utf8');

test('each table of the schema has a rule, or a reason to have none', () => {
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(30);
  expect(Object.keys(TABLE_RETENTION).sort()).toEqual(tables.sort());
});

test('each rule removes the rows of a table, and each removed table belongs to that rule', () => {
  const removed = Object.entries(PARTS).flatMap(([rule, parts]) => parts.map(({ table }) => [table, rule]));
  for (const [table, rule] of removed) expect(TABLE_RETENTION[table as keyof typeof TABLE_RETENTION]).toEqual({ rule });
  expect([...Object.keys(PARTS), 'audit'].sort()).toEqual([...RETENTION_RULES].sort());
});
