import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../src/db/client.ts';
import { type Rotation, rotateServerKey } from '../../src/db/key-rotation.ts';
import { type Keyring, openKeyring } from '../../src/db/keyring.ts';
import { createMessageTokens } from '../../src/delivery/bounces/reports.ts';
import { createErasedOptOuts } from '../../src/delivery/consents.ts';
import { deliveryColumns } from '../../src/delivery/index.ts';
import { createOffLinks } from '../../src/delivery/weekly-summary.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { monotonicMs } from '../../src/platform/clock.ts';
import { idBound } from '../../src/platform/ids.ts';
import { rowSealWith, sealWith } from '../../src/platform/seal.ts';
import { fingerprintOf, type KeySource, readServerKeys } from '../../src/platform/server-key.ts';
import { SEAL_PURPOSE, webhookColumns } from '../../src/webhooks/index.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile, sleep } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const URL = 'https://intros.acme.example';
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

let dataDir: string;
const { database, db } = await forFile(openTestPool());
beforeEach(async () => {
  await database.query('truncate server_key, previous_server_keys');
  dataDir = temporaryFolder();
});

const source = (...given: Buffer[]): KeySource => ({ dataDir, given });
const open = (...given: Buffer[]) => openKeyring(db.kysely, source(...given));

const rotate = (from: KeySource, { reencrypt = async () => 0, announceMs = 20 } = {}): Promise<Rotation> =>
  rotateServerKey({ db, source: from, reencrypt, onWait: () => undefined, announceMs, leadMs: 20 });

/** Reads the keys all the time. Returns how to stop, after which nothing is in flight that would affect the next test. */
function follow(node: Keyring): () => Promise<void> {
  let isFollowing = true;
  const following = (async () => {
    while (isFollowing) {
      await node.refresh(db.kysely);
      await sleep(5);
    }
  })();
  return () => {
    isFollowing = false;
    return following;
  };
}

const introAt = (at: number) => idBound('int', new Date(at)).padEnd('int_'.length + 26, '0');

test('links of intros from before a rotation stay the same on every node, and later ones use the new key', async () => {
  const before = await open(FIRST);
  const [early, late] = [introAt(Date.now() - 1000), introAt(Date.now() + 60_000)];
  const expiring = { introId: early, generation: 0, expiresAt: new Date(1_900_000_000_000) };
  const linksOf = (key: typeof before, introId: string) => {
    const links = createLinks(key, URL);
    return [links.recordUrl(introId, 0), links.recordUrl(introId, 2), links.pageUrl(introId, null)];
  };
  const hidden = createLinks(before, URL).hide(`See ${linksOf(before, early)[2]}`, { introId: early, generation: 0 });
  const old = { early: linksOf(before, early), late: linksOf(before, late) };
  const expiringUrl = createLinks(before, URL).expiringRecordUrl(expiring);

  expect(await rotate(source(SECOND, FIRST))).toEqual({ status: 'rotated', reencrypted: 0 });
  await before.refresh(db.kysely);
  const after = await open(SECOND);
  for (const node of [after, await open(SECOND, FIRST)]) {
    expect(linksOf(node, early)).toEqual(old.early);
    expect(linksOf(node, late)).not.toEqual(old.late);
    expect(createLinks(node, URL).show(hidden, early)).toBe(`See ${old.early[2]}`);
    expect(createLinks(node, URL).expiringRecordUrl(expiring)).toBe(expiringUrl);
  }
  expect(linksOf(after, late)).toEqual(linksOf(await open(SECOND, FIRST), late));
});

test('bounces of emails and opt-outs of erased people from before two rotations are still recognized', async () => {
  const email = {
    organizationId: introAt(0).replace('int_', 'org_'),
    id: introAt(1000).replace('int_', 'msg_'),
    address: 'mia@acme.example',
  };
  const tenant = { organizationId: email.organizationId, environment: 'test' as const };
  const first = await open(FIRST);
  const token = createMessageTokens(first).tokenOf(email);
  const hash = createErasedOptOuts(first).hashOf(tenant, '+14155550131');
  await rotate(source(SECOND, FIRST));
  await open(SECOND);
  await rotate(source(THIRD, SECOND));
  // The configuration no longer has the first key; the database has it, encrypted.
  const third = await open(THIRD);

  const tokens = createMessageTokens(third);
  expect(tokens.find([token], [email.address])).toEqual(email);
  expect(tokens.find([token], ['other@acme.example'])).toBeNull();
  expect(tokens.find([tokens.tokenOf(email)], [email.address])).toEqual(email);
  expect(createErasedOptOuts(third).hashOf(tenant, '+14155550131')).toEqual(hash);
  expect(createErasedOptOuts(third).hashOf(tenant, '+14155550132')).not.toEqual(hash);
});

test('unsubscribe links and encrypted values from before two rotations still work', async () => {
  const recipient = { organizationId: 'org_1', memberId: 'mem_1' };
  const first = await open(FIRST);
  const tokens = [createOffLinks(first, URL).urlOf(recipient)];
  const sealed = [sealWith(first, 'test').close('one', 'row 1')];
  await rotate(source(SECOND, FIRST));
  const second = await open(SECOND);
  tokens.push(createOffLinks(second, URL).urlOf(recipient));
  sealed.push(sealWith(second, 'test').close('one', 'row 1'));
  await rotate(source(THIRD, SECOND));
  const third = await open(THIRD);
  tokens.push(createOffLinks(third, URL).urlOf(recipient));
  sealed.push(sealWith(third, 'test').close('one', 'row 1'));

  expect(new Set(tokens).size).toBe(3);
  for (const url of tokens) expect(createOffLinks(third, URL).read(url.split('/').at(-1) ?? '')).toEqual(recipient);
  expect(sealed.map((value) => sealWith(third, 'test').open(value, 'row 1'))).toEqual(['one', 'one', 'one']);
  expect(() => sealWith(third, 'test').open(sealed[2] ?? Buffer.alloc(0), 'row 2')).toThrow();
  expect(() => sealWith(first, 'test').open(sealed[1] ?? Buffer.alloc(0), 'row 1')).toThrow('not a sealed secret');
  // Exports made with the first or second key keep their links when imported. Those of other installations do not.
  expect(third.identities().slice(0, 2)).toEqual([...second.identities()]);
  expect(first.identities()).toEqual([fingerprintOf(FIRST)]);
  expect(third.identities()).not.toContain(fingerprintOf(THIRD));
  // Hashes that cannot be computed again keep the first key.
  expect(third.derive('hashes')).toEqual(first.derive('hashes'));
});

test('a node with a key that is not in use does not start, before and after the rotation', async () => {
  await open(FIRST);
  await expect(open(SECOND)).rejects.toThrow('SERVER_KEY is not the key that this database uses');
  await open(SECOND, FIRST);
  await rotate(source(SECOND, FIRST));
  await expect(open(FIRST)).rejects.toThrow('SERVER_KEY is not the key that this database uses');
  await expect(open(THIRD, FIRST)).rejects.toThrow('SERVER_KEY is not the key that this database uses');
  await expect(rotate(source(FIRST, SECOND))).rejects.toThrow('was used before');
});

test('a node whose server.key is missing does not start, and creates no other one', async () => {
  await open();
  const file = path.join(dataDir, 'server.key');
  const key = fs.readFileSync(file);
  fs.rmSync(file);
  await expect(open()).rejects.toThrow('is not the key that this database uses');
  expect(fs.readdirSync(dataDir)).toEqual([]);
  fs.writeFileSync(file, key);
  await open();
});

test('a running node without the new key refuses the rotation, which changes nothing', async () => {
  const node = await open(FIRST);
  const stop = follow(node);
  await expect(rotate(source(SECOND, FIRST), { announceMs: 2_000 }).finally(stop)).rejects.toThrow(
    `the node ${os.hostname()} does not have the new key, so nothing was changed`,
  );
  await open(FIRST);
  expect(await database.query('select 1 from previous_server_keys')).toEqual([]);
});

test('a running node that lost its key says so, and derives no link that another node would not know', async () => {
  let aheadMs = 0;
  const node = await openKeyring(db.kysely, source(FIRST), () => monotonicMs() + aheadMs);
  await node.refresh(db.kysely);
  const { pageUrl } = createLinks(node, URL);
  // The id of a forged link, or from a node whose clock is wrong.
  expect(pageUrl(introAt(Date.now() + 60_000), null)).toContain(URL);
  aheadMs = 10_000;
  expect(() => pageUrl(introAt(Date.now() + 10_000), null)).toThrow(DatabaseUnavailable);
  expect(pageUrl(introAt(Date.now()), null)).toContain(URL);
  await rotate(source(SECOND, FIRST));
  await node.refresh(db.kysely);
  expect(await node.lost).toContain('SERVER_KEY is not the key');
});

describe('a key in DATA_DIR', () => {
  test('is rotated by one command, which a running service follows, and which continues where it was interrupted', async () => {
    const service = await open();
    if (process.getuid?.() === 0) fs.chownSync(dataDir, 65_534, 65_534);
    const [created] = readServerKeys(source());
    const early = createLinks(service, URL).pageUrl(introAt(0), null);
    const stop = follow(service);
    await expect(rotate(source(), { reencrypt: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
    expect(await rotate(source(), { reencrypt: async () => 7 })).toEqual({ status: 'resumed', reencrypted: 7 });
    await stop();

    expect(fs.readdirSync(dataDir)).toEqual(['server.key']);
    // Also when root rotates the key of a service that another user runs.
    expect(fs.statSync(path.join(dataDir, 'server.key')).uid).toBe(fs.statSync(dataDir).uid);
    const [next] = readServerKeys(source());
    expect(next).not.toEqual(created);
    for (const node of [service, await open()]) {
      expect(createLinks(node, URL).pageUrl(introAt(0), null)).toBe(early);
      expect(node.current('test').id).not.toBeNull();
    }
    await rotate(source());
    expect(readServerKeys(source())).not.toEqual([next]);
  });

  test('works after a crash at any step of the files', async () => {
    const before = createLinks(await open(), URL).pageUrl(introAt(0), null);
    // Before the switch: the next key exists, and the database does not use it.
    fs.writeFileSync(path.join(dataDir, 'server.key.next'), SECOND.toString('hex'), { mode: 0o600 });
    expect(createLinks(await open(), URL).pageUrl(introAt(0), null)).toBe(before);
    const old = fs.readFileSync(path.join(dataDir, 'server.key'));
    await rotate(source());
    expect(readServerKeys(source())).toEqual([SECOND]);
    // After the switch: the files were not replaced yet.
    fs.renameSync(path.join(dataDir, 'server.key'), path.join(dataDir, 'server.key.next'));
    fs.writeFileSync(path.join(dataDir, 'server.key'), old);
    expect(createLinks(await open(), URL).pageUrl(introAt(0), null)).toBe(before);
    expect(fs.readdirSync(dataDir)).toEqual(['server.key']);
    expect(readServerKeys(source())).toEqual([SECOND]);
  });
});

/** Columns of bytes that contain no encrypted value: hashes, public keys and challenges. */
const NOT_ENCRYPTED = [
  'api_keys.hash',
  'console_sessions.challenge',
  'console_sessions.hash',
  'console_sessions.previous_hash',
  'erased_opt_outs.phone_hash',
  'idempotency_keys.fingerprint',
  'idempotency_keys.key_hash',
  'links.hash',
  'passkeys.credential_id',
  'passkeys.public_key',
  'replaced_links.hash',
  'server_key.fingerprint',
  'server_key.next_fingerprint',
  'signin_links.requested_from',
  'signin_links.browser_hash',
  'signin_links.hash',
];
/** Encrypted for minutes, until the erasure is finished. Any key opens it. */
const SHORT_LIVED = ['recipient_erasures.sealed_phone'];
/** Encrypted, and handled by the rotation itself. */
const OF_ROTATION = ['previous_server_keys.fingerprint', 'previous_server_keys.sealed_key'];

test('every encrypted column is declared, so that a rotation encrypts it again', async () => {
  const ofBytes = await database.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea'`,
  );
  const key = await open(FIRST);
  const columns = [...webhookColumns(key), ...deliveryColumns(sealWith(key, SEAL_PURPOSE))];
  const declared = columns.map(({ table, column }) => `${table}.${column}`);
  expect(ofBytes.map(({ name }) => name).sort()).toEqual(
    [...NOT_ENCRYPTED, ...SHORT_LIVED, ...OF_ROTATION, ...declared].sort(),
  );
});

test('each row of a large table has a key of its own, even after a rotation', async () => {
  await open(FIRST);
  await rotate(source(SECOND, FIRST));
  const seal = rowSealWith(await open(SECOND), 'test');
  const sealed = seal.close('payload', 'row 1');
  expect(seal.open(sealed, 'row 1')).toBe('payload');
  expect(() => seal.open(sealed, 'row 2')).toThrow();
});
