/** A mistake of the person who releases; the message says what to do. */
export class ReleaseError extends Error {}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;
const UNRELEASED = '## [Unreleased]\n';

function parse(version: string): [number, number, number] {
  const [, major, minor, patch] = VERSION.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

function isNewer(version: string, than: string): boolean {
  const [left, right] = [parse(version), parse(than)];
  const position = left.findIndex((number, index) => number !== right[index]);
  if (position >= 0) return (left[position] ?? 0) > (right[position] ?? 0);
  // The same numbers: a release is newer than its pre-release.
  return than.includes('-') && version !== than && (!version.includes('-') || version > than);
}

/** The version after `current`: by name, or given in full. */
export function nextVersion(current: string, wanted: string): string {
  const [major, minor, patch] = parse(current);
  // As npm does: a pre-release becomes the release that it precedes, if that is at least what is wanted.
  const isPreRelease = current.includes('-');
  const base = `${major}.${minor}.${patch}`;
  switch (wanted) {
    case 'major':
      return isPreRelease && minor === 0 && patch === 0 ? base : `${major + 1}.0.0`;
    case 'minor':
      return isPreRelease && patch === 0 ? base : `${major}.${minor + 1}.0`;
    case 'patch':
      return isPreRelease ? base : `${major}.${minor}.${patch + 1}`;
    default:
      if (!VERSION.test(wanted))
        throw new ReleaseError(`${wanted} must be patch, minor, major, or a version such as 1.2.3`);
      if (!isNewer(wanted, current)) throw new ReleaseError(`${wanted} is not newer than ${current}`);
      return wanted;
  }
}

/** Pre-releases are installed only by name. */
export const distTag = (version: string): string => (version.includes('-') ? 'next' : 'latest');

/** The changes since the last release, without the heading. */
export function unreleasedChanges(changelog: string): string {
  const [, after] = changelog.split(UNRELEASED);
  if (after === undefined) throw new ReleaseError('CHANGELOG.md has no section [Unreleased]');
  return (after.split(/^## /m)[0] ?? '').trim();
}

/** While the major version is 0, a minor version may change anything, and a patch only fixes. */
export const suggestVersion = (changes: string): string =>
  /^### (Added|Changed|Removed|Deprecated)$/m.test(changes) ? 'minor' : 'patch';

/** Moves the unreleased changes to a section of their own. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (unreleasedChanges(changelog) === '') throw new ReleaseError('CHANGELOG.md has nothing under [Unreleased]');
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
}
