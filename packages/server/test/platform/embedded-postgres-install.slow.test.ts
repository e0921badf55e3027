import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import {
  cleanups,
  dataDir,
  folder,
  isRoot,
  makeInstallation,
  NOBODY,
  PLATFORM,
  removeLinks,
  rowsOf,
  spawnChild,
  useFolderForEachTest,
  VERSION,
} from './embedded-postgres.harness.ts';

useFolderForEachTest();

describe('an installation without install scripts', () => {
  test('creates its symbolic links at the first start, even with several processes at once', async () => {
    const installation = makeInstallation(folder);
    const links = removeLinks(installation.native);
    expect(links.length).toBeGreaterThan(0);
    const others = [1, 2].map((number) => spawnChild({ ...installation, dataDir: join(folder, `d${number}`) }));
    for (const { report } of await Promise.all(others)) {
      expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    }
    expect(links.filter((link) => !lstatSync(link).isSymbolicLink())).toEqual([]);
  });

  test('is copied into DATA_DIR when its folder is not writable', async () => {
    const installation = makeInstallation(folder, { withNode: true });
    const links = removeLinks(installation.native);
    const library = join(installation.native, 'lib');
    chmodSync(library, 0o555);
    cleanups.push(() => chmodSync(library, 0o755));
    mkdirSync(dataDir);
    if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
    const { report } = await spawnChild({ ...installation, ...(isRoot ? { uid: NOBODY } : {}) });
    expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    expect(existsSync(join(dataDir, `postgres-${VERSION}/bin/postgres`))).toBe(true);
    expect(links.filter((link) => existsSync(link))).toEqual([]);
  });
});

describe('a machine that cannot run the embedded database', () => {
  test('reports a missing package, suggests DATABASE_URL and does not create DATA_DIR', async () => {
    const installation = makeInstallation(folder, { withPackage: false });
    const { report } = await spawnChild(installation);
    expect(report.error).toBe(
      `EmbeddedPostgresError: the package @embedded-postgres/${PLATFORM} is not installed; install optional dependencies or set DATABASE_URL`,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('reports missing glibc where the loader does not exist, as on Alpine', () => {
    const native = join(folder, 'native');
    mkdirSync(join(native, 'bin'), { recursive: true });
    writeFileSync(join(native, 'bin/postgres'), '#!/lib64/no-such-loader.so\n', { mode: 0o755 });
    expect(() => prepareBinaries({ native, version: VERSION }, {}, folder)).toThrow(
      'the embedded database does not run on this machine (it needs glibc); set DATABASE_URL',
    );
  });
});
