import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages, readVersion } from './packages/build.ts';
import { distTag, nextVersion, ReleaseError, releaseChangelog, unreleasedChanges } from './release/changes.ts';
import { VERSIONED_FILES, withVersion } from './release/version.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CHANGELOG = 'CHANGELOG.md';

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const show = (file: string): string => path.relative(ROOT, file);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function release(wanted: string | undefined, isDryRun: boolean): Promise<void> {
  const changelog = read(CHANGELOG);
  const changes = unreleasedChanges(changelog);
  const current = readVersion();
  const version = nextVersion(current, wanted);
  const tag = `v${version}`;
  const changed = new Map(Object.keys(VERSIONED_FILES).map((file) => [file, withVersion(file, read(file), version)]));
  changed.set(CHANGELOG, releaseChangelog(changelog, version, new Date().toISOString().slice(0, 10)));
  const problems = [
    ...(git('status', '--porcelain') === '' ? [] : ['the tree has uncommitted changes: commit or discard them']),
    ...(git('tag', '--list', tag) === '' ? [] : [`the tag ${tag} exists: choose another version`]),
  ];
  if (problems.length > 0 && !isDryRun) throw new ReleaseError(problems.join('; '));

  const packages = await buildPackages(version);
  if (!isDryRun) for (const [file, content] of changed) fs.writeFileSync(path.join(ROOT, file), content);
  const dist = distTag(version);
  print(`Foreword ${version} after ${current}: git tag ${tag}, npm dist-tag ${dist}`);
  print(`\n${isDryRun ? 'Would change' : 'Changed'}: ${[...changed.keys()].sort().join(', ')}`);
  for (const { name, tarball, files, packedBytes } of packages)
    print(`${name}: ${show(tarball)}, ${files.length} files, ${(packedBytes / 1_000_000).toFixed(2)} MB packed`);
  print(`\n## [${version}]\n\n${changes}`);
  print(`\nTo publish${isDryRun ? ', run this without --dry-run, and then' : ''}:`);
  print(`  git commit --all --message "release: ${version}" && git tag ${tag}`);
  for (const { tarball } of packages) print(`  npm publish ${show(tarball)} --access public --tag ${dist}`);
  print('  git push --follow-tags');
  if (problems.length > 0) throw new ReleaseError(`a release would stop here: ${problems.join('; ')}`);
}

try {
  const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
  await release(positionals[0], values['dry-run'] === true);
} catch (error) {
  const isMistake = error instanceof ReleaseError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!isMistake) throw error;
  process.stderr.write(`release: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
