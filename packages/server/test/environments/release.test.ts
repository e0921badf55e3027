import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../../..');
// In the repository, because the packages of its node_modules are hard-linked, not copied.
const clone = path.join(ROOT, 'build/release-test');
const run = promisify(execFile);

const git = (...args: string[]): string => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
const release = (...args: string[]) => run('npm', ['run', '--silent', 'release', '--', ...args], { cwd: clone });
const read = (file: string): string => fs.readFileSync(path.join(clone, file), 'utf8');

fs.rmSync(clone, { recursive: true, force: true });
for (const folder of ['node_modules', 'packages/server/node_modules', 'packages/web/node_modules']) {
  if (!fs.existsSync(path.join(ROOT, folder))) continue;
  fs.mkdirSync(path.join(clone, folder), { recursive: true });
  const installed = fs.readdirSync(path.join(ROOT, folder)).filter((name) => name !== '.cache');
  const linked = installed.map((name) => path.join(ROOT, folder, name));
  execFileSync('cp', ['-al', ...linked, path.join(clone, folder)]);
}
// The tracked files as they are now, so that the test also covers a change before its commit.
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((file) => file !== '' && fs.existsSync(path.join(ROOT, file)));
for (const file of files) {
  fs.mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
  fs.copyFileSync(path.join(ROOT, file), path.join(clone, file));
}
git('init', '--quiet');
git('config', 'user.name', 'Test');
git('config', 'user.email', 'test@example.com');
git('add', '--all');
git('commit', '--quiet', '--message', 'all: start');

afterAll(async () => {
  fs.rmSync(clone, { recursive: true, force: true });
});

test('a dry run prints what it would publish, and changes no tracked file and no tag', async () => {
  const { stdout } = await release('99.0.0', '--dry-run');
  expect(stdout).toContain('git tag v99.0.0, npm dist-tag latest');
  expect(stdout).toMatch(/^foreword: build\/foreword-99\.0\.0\.tgz, [\d.]+ MB packed, [\d.]+ MB unpacked$/m);
  expect(stdout).toMatch(/^ {2}migrations\/ +\d+ files/m);
  expect(stdout).toContain('npm publish build/foreword-contract-99.0.0.tgz --access public --tag latest');
  expect(stdout).toContain('npm publish build/foreword-sdk-99.0.0.tgz --access public --tag latest');
  expect(stdout).toMatch(/^## \[99\.0\.0\]$/m);
  expect([git('status', '--porcelain'), git('tag', '--list')]).toEqual(['', '']);
});

test('a release sets the version everywhere, dates the changelog and packs, but commits and publishes nothing', async () => {
  const head = git('rev-parse', 'HEAD');
  await release('99.0.0-beta.1');
  expect(JSON.parse(read('packages/server/package.json')).version).toBe('99.0.0-beta.1');
  expect(JSON.parse(read('package-lock.json')).packages['packages/server'].version).toBe('99.0.0-beta.1');
  expect(read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]\n\n## \[99\.0\.0-beta\.1\] - \d{4}-\d\d-\d\d\n\n### /m);
  const service = JSON.parse(read('build/foreword/package.json'));
  expect([service.version, service.dependencies['@foreword/contract']]).toEqual(['99.0.0-beta.1', '99.0.0-beta.1']);
  expect(fs.existsSync(path.join(clone, 'build/foreword-contract-99.0.0-beta.1.tgz'))).toBe(true);
  const changed = git('status', '--porcelain')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^ ?M /, ''));
  expect(changed.toSorted()).toEqual([
    'CHANGELOG.md',
    'deploy/helm/foreword/Chart.yaml',
    'deploy/helm/foreword/README.md',
    'openapi.json',
    'package-lock.json',
    'packages/server/package.json',
  ]);
  expect([git('rev-parse', 'HEAD'), git('tag', '--list')]).toEqual([head, '']);
});

test('a release is refused with one line when the tree has changes or the tag exists', async () => {
  git('checkout', '--quiet', '.');
  git('tag', 'v99.1.0');
  fs.appendFileSync(path.join(clone, 'README.md'), '\n');
  const refused = await release('99.1.0').catch((error: { code: number; stdout: string; stderr: string }) => error);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'release: the tree has uncommitted changes: commit or discard them; the tag v99.1.0 exists: choose another version\n',
  });
});
