import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { seedDemo } from '../../src/app/serve.ts';
import { checkDemoKey, checkWork, listRealOrganizations } from '../../src/cli/doctor/database.ts';
import { checkDatabasePackage, checkMedia, isOutdated } from '../../src/cli/doctor/machine.ts';
import { createKey, listDemoKeys } from '../../src/http/access/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { idBound } from '../../src/platform/ids.ts';
import { openTestPool } from '../db/fixture.ts';
import { insertOrganization } from '../delivery/organization-rows.ts';
import { forFile } from '../harness/index.ts';

test('minor releases of PostgreSQL are compared as numbers', () => {
  expect(['18.0.0-beta.15', '18.4.0-beta.17', '18.6.1'].map(isOutdated)).toEqual([true, true, true]);
  expect(['18.7.0-beta.1', '18.10.0', '18.100.0'].map(isOutdated)).toEqual([false, false, false]);
});

test('doctor says what the embedded database is for, and warns exactly if it is outdated', () => {
  const { status, message, next } = checkDatabasePackage(readConfig({ DATA_DIR: '/nowhere' }));
  expect(message).toContain('for evaluation and small installations');
  const [, version = ''] = /package (\S+)/.exec(message) ?? [];
  expect(status).toBe(isOutdated(version) ? 'warning' : 'ok');
  expect(next === null).toBe(status === 'ok');
});

test('doctor does not judge the embedded database when DATABASE_URL is set', () => {
  expect(checkDatabasePackage(readConfig({ DATABASE_URL: 'postgresql://db/foreword' }))).toMatchObject({
    status: 'ok',
  });
});

test.each([
  ['api', 'problem'],
  ['media', 'problem'],
  ['worker', 'ok'],
])('doctor checks the encoder of a node with the role %s: %s without one', async (role, status) => {
  const config = readConfig({
    FOREWORD_ROLE: role,
    FFMPEG_PATH: '/no/ffmpeg',
    DATA_DIR: '/nowhere',
    MEDIA_ISOLATION: 'off',
  });
  expect((await checkMedia(config))[0]).toMatchObject({ name: 'video encoder', status });
});

const { database, db } = await forFile(openTestPool());
const { database: other, db: demo, newTenant } = await forFile(openTestPool());

test('the demo is no real organization, and doctor names its key until it is revoked', async () => {
  const demoKey = async () =>
    (await checkDemoKey(demo.kysely)).map(({ status, message, next }) => [status, `${message} ${next}`]);
  expect([await demoKey(), await listRealOrganizations(demo.kysely)]).toEqual([[], []]);
  await seedDemo(demo, systemClock, undefined);
  const [key] = await listDemoKeys(demo.kysely);
  const revoke = expect.stringMatching(new RegExp(`not used yet.*foreword key revoke ${key?.id}`));
  expect([await demoKey(), await listRealOrganizations(demo.kysely)]).toEqual([[['note', revoke]], []]);
  const real = await newTenant();
  // Also a key with the same name, created later.
  const later = () => new Date(systemClock().getTime() + 5_000);
  await createKey(demo.kysely, later, real, 'Demo');
  expect([await demoKey(), await listRealOrganizations(demo.kysely)]).toEqual([
    [['warning', revoke]],
    [real.organizationId],
  ]);
  await other.query('update api_keys set revoked_at = now()');
  expect(await demoKey()).toEqual([['ok', 'Revoked. null']]);
});

const findings = async () => (await checkWork(db)).map(({ name, status, message }) => `${name} ${status}: ${message}`);

test('the doctor reports events that wait, late messages and a backlog of webhooks', async () => {
  expect(await findings()).toEqual([
    'events ok: No event waits for long.',
    'messages ok: No text and no email is late.',
    'takes ok: No take waits for long.',
    'webhooks ok: No backlog.',
  ]);
  const { tenant, memberId } = await insertOrganization(database, {}, new Date());
  await database.query(
    `insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request,
       created_at)
     values ($1, 'test', $3, 'accepted', 'tp_1', 'Update', $2, '{}', now())`,
    [tenant.organizationId, memberId, `${idBound('evt', new Date(Date.now() - 90_000))}${'0'.repeat(16)}`],
  );
  await database.sql`insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, due_at, created_at)
     values (${tenant.organizationId}, 'test', 'msg_1', 'int_1', 'member', 'ask', now() - interval '10 minutes', now())`;
  const insertTake = (id: string, status: string, age: string) =>
    database.sql`insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at,
         received_at)
       values (${tenant.organizationId}, 'test', ${id}, 'int_1', ${memberId}, ${status}, 'video/mp4', now(), now(), now() - ${age}::interval)`;
  await insertTake('rec_1', 'ready', '2 days');
  await insertTake('rec_2', 'uploading', '1 day');
  await insertTake('rec_3', 'uploaded', '9 minutes');
  expect(await findings()).toContain('takes ok: No take waits for long.');
  // Its worker may have died.
  await insertTake('rec_4', 'processing', '11 minutes');
  await database.sql`insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
     select ${tenant.organizationId}, 'test', 'msg_' || n, 'we_1', 'pending', now(), now() from generate_series(1, 10001) n`;
  expect(await findings()).toEqual([
    expect.stringMatching(/^events problem: Accepted events wait for up to \d+ s\.$/),
    expect.stringMatching(/^messages problem: Texts or emails are up to \d+ s late\.$/),
    expect.stringMatching(/^takes problem: Takes wait for up to \d+ s for their video\.$/),
    'webhooks warning: 10001 webhooks wait.',
  ]);
});
