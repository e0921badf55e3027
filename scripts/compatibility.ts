import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findBreakingChanges, type OpenApi } from './compatibility/document.ts';
import { type Exceptions, reviewChanges } from './compatibility/exceptions.ts';

// Fails when openapi.json breaks callers of the last release (docs/decisions/0031-compatibility-of-the-api.md).

const ROOT = path.join(import.meta.dirname, '..');
const EXCEPTIONS = 'scripts/compatibility/exceptions.json';
/** For clones without tags. */
const FIRST_RELEASE = { tag: 'v0.1.0', commit: 'f5432b813b256ac36ba8afbb1093eb6bc29900a8' };

const read = <T>(file: string): T => JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8')) as T;

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 50_000_000 });
  return status === 0 ? stdout.trim() : undefined;
}

function compareWithRelease(tag: string, commit: string): void {
  const released = git('show', `${commit}:openapi.json`);
  if (released === undefined) throw new Error(`${commit} (${tag}) is not in this history, or has no openapi.json`);
  const changes = findBreakingChanges(JSON.parse(released) as OpenApi, read<OpenApi>('openapi.json'));
  const { unreviewed, stale, accepted } = reviewChanges(changes, read<Exceptions>(EXCEPTIONS), tag);
  for (const change of unreviewed) console.error(change);
  for (const change of stale) console.error(`${EXCEPTIONS} accepts a change that does not exist: ${change}`);
  if (unreviewed.length > 0)
    console.error(`\nThese changes break callers of ${tag}. Undo them, or accept them with a reason in ${EXCEPTIONS}.`);
  if (unreviewed.length + stale.length > 0) process.exitCode = 1;
  else console.log(`openapi.json breaks no caller of ${tag}, apart from ${accepted} accepted changes`);
}

const isShallow = git('rev-parse', '--is-shallow-repository');
const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
if (tag !== undefined) {
  compareWithRelease(tag, tag);
} else if (isShallow === 'true') {
  console.error(
    'openapi.json cannot be compared with the last release: this clone is shallow. Run: git fetch --unshallow --tags',
  );
  process.exitCode = 1;
} else if (isShallow === undefined) {
  console.log('openapi.json was not compared with a release: this folder is not a git repository');
} else {
  compareWithRelease(FIRST_RELEASE.tag, FIRST_RELEASE.commit);
}
