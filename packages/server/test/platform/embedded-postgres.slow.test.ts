import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { prepareBinaries } from '../../src/db/embedded-postgres/binaries.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../../src/db/embedded-postgres/index.ts';
import { parsePs } from '../../src/db/embedded-postgres/processes.ts';
import {
  cleanups,
  dataDir,
  end,
  folder,
  isAlive,
  isRoot,
  killHard,
  makeInstallation,
  NOBODY,
  PLATFORM,
  removeLinks,
  rowsOf,
  SHORT_WAIT_MS,
  spawnChild,
  start,
  useFolderForEachTest,
  VERSION,
} from './embedded-postgres.harness.ts';

useFolderForEachTest();

describe('starting and stopping the embedded database', () => {
  test('rows and all settings for durability survive a restart', async () => {
    const first = await start();
    await rowsOf(first.connection, 'create table note (body text)');
    await rowsOf(first.connection, `insert into note values ('Grüße 🏡')`);
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await start({ settings: { work_mem: '8MB', fsync: 'off', listen_addresses: '*' } });
    expect(await rowsOf(second.connection, 'select body from note')).toEqual(['Grüße 🏡']);
    const settings = `select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where name in
      ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses', 'server_encoding', 'work_mem')`;
    expect(await rowsOf(second.connection, settings)).toEqual([
      'data_checksums=on fsync=on full_page_writes=on listen_addresses= server_encoding=UTF8 synchronous_commit=on work_mem=8192',
    ]);
    expect(
      await rowsOf(
        second.connection,
        `select datlocprovider::text || ' ' || datlocale from pg_database where datname = 'postgres'`,
      ),
    ).toEqual(['b C.UTF-8']);
    expect(await rowsOf(second.connection, 'select current_user')).toEqual(['foreword']);
    expect(statSync(second.connection.host).mode & 0o777).toBe(0o700);
  });

  test('the database runs as a non-root user and prints nothing', async () => {
    const installation = makeInstallation(folder, { withNode: true });
    mkdirSync(dataDir);
    if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
    const { child, report, stderr } = await spawnChild({ ...installation, ...(isRoot ? { uid: NOBODY } : {}) });
    expect(report.uid).toBe(isRoot ? NOBODY : process.getuid?.());
    expect(statSync(join(dataDir, 'pg18')).uid).toBe(report.uid);
    expect(await rowsOf(report.connection, 'select 1 + 1')).toEqual([2]);
    await end(child);
    expect(isAlive(report.pid)).toBe(false);
    expect(stderr()).toBe('');
  });

  test('the database runs when package and DATA_DIR are below a private folder', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const installation = makeInstallation(closed);
    cleanups.push(() => rmSync(`/var/cache/foreword/postgres-${VERSION}`, { recursive: true, force: true }));
    const options = { ...installation, dataDir: join(closed, 'data') };
    const first = await spawnChild(options);
    expect(first.report.error).toBeUndefined();
    cleanups.push(() => rmSync(first.report.connection.host, { recursive: true, force: true }));
    await rowsOf(first.report.connection, 'create table note as select 7 as number');
    expect(await findRunningPostgres(options.dataDir)).toEqual(first.report.connection);
    await killHard(first.child);

    const second = await spawnChild(options);
    expect(await rowsOf(second.report.connection, 'select number from note')).toEqual([7]);
    expect(statSync(closed).mode & 0o777).toBe(0o700);
  });

  test('the programs are copied into DATA_DIR when only they are below a private folder', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    const installation = makeInstallation(closed);
    chmodSync(closed, 0o700);
    const { report } = await spawnChild(installation);
    expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    // A non-root user needs no copy, because the programs run as the owner of the folder.
    expect(existsSync(join(dataDir, `postgres-${VERSION}`))).toBe(isRoot);
    expect(readdirSync(dataDir).filter((entry) => entry.includes('copying'))).toEqual([]);
  });

  test('the socket of a long DATA_DIR is in a short private folder, which is found by the real path', async () => {
    const long = join(folder, 'l'.repeat(60), 'o'.repeat(60));
    const { connection } = await start({ dataDir: long });
    cleanups.push(() => rmSync(connection.host, { recursive: true, force: true }));
    expect(connection.host.length).toBeLessThan(86);
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    expect(await rowsOf(connection, 'select 1')).toEqual([1]);
    expect(await findRunningPostgres(join(long, '..', 'o'.repeat(60)))).toEqual(connection);
  });
});

describe('signals and foreign folders', () => {
  test('the database keeps running when Ctrl-C reaches the process group, so that requests can be drained', async () => {
    const { child, report } = await spawnChild({ isGroupLeader: true });
    if (child.pid === undefined) throw new Error('the child has no pid');
    const interrupted = once(createInterface({ input: child.stdout ?? process.stdin }), 'line');
    process.kill(-child.pid, 'SIGINT');
    expect(await interrupted).toEqual(['interrupted']);
    await sleep(100);
    expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    expect(isAlive(report.pid)).toBe(true);
  });
});

describe('a second instance of the embedded database', () => {
  test('waits for one that is stopping, then starts', async () => {
    const first = await start();
    const second = start({ waitMs: 30_000 });
    await sleep(SHORT_WAIT_MS);
    await first.stop();
    expect(await rowsOf((await second).connection, 'select 1')).toEqual([1]);
  });

  test('is rejected when a database in another container accepts connections', async () => {
    await (await start()).stop();
    const listening = createServer().listen(join(dataDir, 'run/.s.PGSQL.5432'));
    cleanups.push(() => new Promise((resolve) => listening.close(resolve)));
    await once(listening, 'listening');
    await expect(startEmbeddedPostgres({ dataDir, waitMs: SHORT_WAIT_MS })).rejects.toThrow('another container');
  });

  test('fails when two start on an empty folder at once: exactly one succeeds', async () => {
    const children = await Promise.all([spawnChild({ waitMs: 3000 }), spawnChild({ waitMs: 3000 })]);
    const reports = children.map(({ report }) => report);
    const winner = reports.find(({ error }) => error === undefined);
    const loser = reports.find(({ error }) => error !== undefined);
    // The message depends on how far the winner got while the loser waited.
    expect(loser?.error).toMatch(/^EmbeddedPostgresError: .*(in use by another instance|another process is starting)/);
    expect(loser?.error).toContain(`${dataDir} (DATA_DIR)`);
    if (winner === undefined) throw new Error('neither started');
    expect(await rowsOf(winner.connection, 'select 1')).toEqual([1]);
    expect(readdirSync(dataDir).filter((entry) => entry.startsWith('pg18'))).toEqual(['pg18']);
  });
});

describe('a running embedded database', () => {
  test('is parsed from the output of ps on macOS', () => {
    expect(parsePs('    1 /sbin/launchd\n  812 postgres: foreword-0a: checkpointer \n')).toEqual([
      { pid: 1, command: '/sbin/launchd' },
      { pid: 812, command: 'postgres: foreword-0a: checkpointer ' },
    ]);
  });
});

describe('after a crash of the embedded database', () => {
  test('no postmaster remains when the parent is killed', async () => {
    const { child, report } = await spawnChild({});
    await killHard(child);
    await expect.poll(() => isAlive(report.pid)).toBe(false);
  });

  test('the reason is reported when the postmaster is killed, and the database starts again', async () => {
    const first = await start();
    await rowsOf(first.connection, 'create table note as select 1 as number');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toMatch(`the database (pid ${first.pid}) ended with code 137`);
    const second = await start();
    expect(await rowsOf(second.connection, 'select number from note')).toEqual([1]);
  });

  test('the reported reason contains server messages, but nothing that a client sent', async () => {
    const { connection, pid, exited } = await start();
    await expect(rowsOf(connection, `select 'secret'::int`)).rejects.toThrow('secret');
    // The last checkpoint needs this file.
    rmSync(join(dataDir, 'pg18/global/pg_control'));
    process.kill(pid, 'SIGINT');
    const reason = await exited;
    expect(reason).toMatch(/PANIC: .*pg_control/);
    expect(reason).not.toContain('secret');
  });

  test('a partial cluster of a killed initdb is removed and a complete one is created', async () => {
    const partial = join(dataDir, 'pg18.initdb-AbCdEf');
    mkdirSync(join(partial, 'base'), { recursive: true });
    writeFileSync(join(partial, 'PG_VERSION'), '18\n');
    const { connection } = await start();
    expect(await rowsOf(connection, 'select 1')).toEqual([1]);
    expect(readdirSync(dataDir).filter((entry) => entry.includes('initdb'))).toEqual([]);
  });
});

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
    // Of an earlier version of Foreword, and of a start that was killed.
    for (const name of ['postgres-18.1.0', `postgres-${VERSION}.copying-a1b2c3`])
      mkdirSync(join(dataDir, name, 'bin'), { recursive: true });
    if (isRoot)
      for (const name of ['', ...readdirSync(dataDir, { recursive: true })])
        chownSync(join(dataDir, `${name}`), NOBODY, NOBODY);
    const { report } = await spawnChild({ ...installation, ...(isRoot ? { uid: NOBODY } : {}) });
    expect(report.error).toBeUndefined();
    expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    expect(existsSync(join(dataDir, `postgres-${VERSION}/bin/postgres`))).toBe(true);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres-'))).toEqual([`postgres-${VERSION}`]);
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
