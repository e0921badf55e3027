import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { distTag, nextVersion, ReleaseError, releaseChangelog, unreleasedChanges } from '../release/changes.ts';
import { VERSIONED_FILES, versionsIn, withVersion } from '../release/version.ts';

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Pictures.\n\n## [0.1.0] - 2026-01-02\n\n- The start.\n';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

describe('the version', () => {
  const { version } = JSON.parse(read('packages/server/package.json')) as { version: string };

  test('is the same in the packages, the OpenAPI document, the chart and the command', () => {
    for (const file of Object.keys(VERSIONED_FILES)) {
      const found = versionsIn(file, read(file));
      expect(found.length, file).toBeGreaterThan(0);
      expect(new Set(found), file).toEqual(new Set([version]));
    }
    const printed = execFileSync(process.execPath, ['packages/server/bin/foreword.mjs', '--version'], { cwd: ROOT });
    expect(printed.toString().trim()).toBe(version);
  });

  test.each(Object.keys(VERSIONED_FILES))('a release writes it to %s, and changes nothing else', (file) => {
    const released = withVersion(file, read(file), '9.8.7-beta.1');
    expect(new Set(versionsIn(file, released))).toEqual(new Set(['9.8.7-beta.1']));
    expect(withVersion(file, released, version)).toBe(read(file));
  });
});

describe('the next version', () => {
  test.each([
    ['0.1.9', 'minor', '0.2.0'],
    ['0.2.0-dev', 'minor', '0.2.0'],
    ['0.2.1-dev', 'minor', '0.3.0'],
    ['1.9.0', '1.10.0-beta.1', '1.10.0-beta.1'],
    ['1.10.0-beta.1', 'patch', '1.10.0'],
  ])('after %s, %s is %s', (current, wanted, version) => {
    expect(nextVersion(current, wanted)).toBe(version);
  });

  test.each(['0.1.0', '0.1.0-beta.1', '0.1', 'v0.2.0', ''])('rejects %j after 0.1.0', (wanted) => {
    expect(() => nextVersion('0.1.0', wanted)).toThrow(ReleaseError);
  });

  test('gets the dist-tag latest, and a pre-release does not', () => {
    expect([distTag('1.0.0'), distTag('1.0.0-beta.1')]).toEqual(['latest', 'next']);
  });
});

describe('the changelog of a release', () => {
  test('dates the unreleased changes, keeps older sections, and leaves an empty section for the next', () => {
    const released = releaseChangelog(CHANGELOG, '0.2.0', '2026-02-03');
    expect(released).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- Pictures.\n\n## [0.1.0] - 2026-01-02\n\n- The start.\n',
    );
    expect(unreleasedChanges(released)).toBe('');
  });

  test('is refused without changes', () => {
    const released = releaseChangelog(CHANGELOG, '0.2.0', '2026-02-03');
    expect(() => releaseChangelog(released, '0.3.0', '2026-02-04')).toThrow('nothing under [Unreleased]');
  });
});
