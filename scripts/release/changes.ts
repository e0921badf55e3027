import semver from 'semver';

/** A mistake of the person who releases; the message says what to do. */
export class ReleaseError extends Error {}

const UNRELEASED = '## [Unreleased]\n';

/** The version after `current`: by name, or given in full. A pre-release becomes the release that it precedes, as with npm. */
export function nextVersion(current: string, wanted = ''): string {
  if (wanted === 'patch' || wanted === 'minor' || wanted === 'major') return semver.inc(current, wanted) ?? current;
  if (semver.valid(wanted) !== wanted)
    throw new ReleaseError(`the version "${wanted}" must be patch, minor, major, or one such as 1.2.3`);
  if (!semver.gt(wanted, current)) throw new ReleaseError(`${wanted} is not newer than ${current}`);
  return wanted;
}

/** Pre-releases are installed only by name. */
export const distTag = (version: string): string => (version.includes('-') ? 'next' : 'latest');

/** The changes since the last release, without the heading. */
export function unreleasedChanges(changelog: string): string {
  const [, after] = changelog.split(UNRELEASED);
  if (after === undefined) throw new ReleaseError('CHANGELOG.md has no section [Unreleased]');
  return (after.split(/^## /m)[0] ?? '').trim();
}

/** Moves the unreleased changes to a section of their own. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (unreleasedChanges(changelog) === '') throw new ReleaseError('CHANGELOG.md has nothing under [Unreleased]');
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
}
