import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeFolder, readPurpose } from '../map.ts';

test('the purpose of a folder is the first sentence of the comment at the top of a file', () => {
  expect(readPurpose('/** Sends webhooks. Slowly. */\n\nexport {};\n')).toBe('Sends webhooks.');
  expect(readPurpose('// Reads `a.ts` and\n// sends it.\n\nexport {};\n')).toBe('Reads `a.ts` and sends it.');
});

test('a comment on the first declaration is not a purpose', () => {
  expect(readPurpose('/** Sends one webhook. */\nexport const a = 1;\n')).toBeUndefined();
  expect(readPurpose("import a from 'a';\n\n/** Sends one webhook. */\n\n")).toBeUndefined();
});

test('the main file describes a folder, or the one file that says "Folder:"', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-map-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), `${text}\n\nexport {};\n`);
  };
  const files = ['a/b/one.ts', 'a/b/two.ts'];
  write('a/b/one.ts', '/** Another comment. */');
  write('a/b/two.ts', '/** Folder: sends bills. */');
  expect(describeFolder(root, 'a/b', files)).toBe('Sends bills.');
  write('a/b.ts', '/** Bills. */');
  expect(describeFolder(root, 'a/b', files)).toBe('Bills.');
  write('a/b/index.ts', 'const none = 1;');
  expect(() => describeFolder(root, 'a/b', files)).toThrow(
    'a/b/index.ts needs a first comment that says what a/b/ is for.',
  );
  write('c/one.ts', '/** Another comment. */');
  expect(() => describeFolder(root, 'c', ['c/one.ts'])).toThrow('One file of c/ needs a first comment "Folder: …"');
});
