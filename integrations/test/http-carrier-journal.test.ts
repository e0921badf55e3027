import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEPT_MS, openJournal } from '../http-carrier/journal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-06-01T12:00:00Z');

let folder: string;
let time: number;
const open = () => openJournal(folder, () => time);
const file = () => path.join(folder, 'messages.jsonl');
const idsInFile = () =>
  fs
    .readFileSync(file(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
const sent = (id: string) => ({ id, statusUrl: 'http://127.0.0.1:1/s', state: 'sent' as const, providerId: `p-${id}` });

beforeEach(() => {
  time = START;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-journal-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('a running carrier forgets texts after 30 days, not earlier, and keeps one line per text', () => {
  const journal = open();
  journal.add({ id: 'old', statusUrl: 'http://127.0.0.1:1/s', state: 'handed_over' });
  journal.add(sent('old'));
  time = START + KEPT_MS;
  journal.add(sent('recent'));
  expect(journal.get('old')).toMatchObject({ state: 'sent', providerId: 'p-old' });
  expect(idsInFile()).toEqual(['old', 'recent']);

  time = START + KEPT_MS + DAY_MS;
  journal.add(sent('new'));
  expect(journal.get('old')).toBeUndefined();
  expect(idsInFile()).toEqual(['recent', 'new']);
  journal.add(sent('newer'));
  expect(idsInFile()).toEqual(['recent', 'new', 'newer']);
  expect(open().get('newer')).toMatchObject({ state: 'sent' });
});

test('after a kill while the file was rewritten, the old file counts', () => {
  open().add(sent('one'));
  fs.writeFileSync(`${file()}.new`, '{"id":"cut","sta');
  const journal = open();
  expect(journal.get('one')).toMatchObject({ state: 'sent' });
  expect(journal.get('cut')).toBeUndefined();
  journal.add(sent('two'));
  expect(idsInFile()).toEqual(['one', 'two']);
});

test('if the file cannot be rewritten, texts are still sent and recorded', () => {
  const journal = open();
  journal.add(sent('one'));
  fs.mkdirSync(`${file()}.new`);
  time += 2 * DAY_MS;
  journal.add(sent('two'));
  journal.add(sent('three'));
  expect(idsInFile()).toEqual(['one', 'two', 'three']);
});
