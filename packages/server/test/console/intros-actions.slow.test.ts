import { describe, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { openInbox } from './inbox.ts';
import { openIntros } from './intros-fixture.ts';

const [receiver, carrier, inbox] = [
  await forFile(startReceiver()),
  await forFile(startHttpService()),
  await forFile(openInbox()),
];
const texts = { SMS_CARRIER: 'http', SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET };
const team = await forFile(openIntros({ ...texts, ...inbox.environment }));

const FROM_AN_ORIGIN = /^https?:\/\/[^/]+/;
const open = async (link: string | null) =>
  (await fetch((link ?? '').replace(FROM_AN_ORIGIN, team.service.url), { redirect: 'manual' })).status;
const idOfMember = async () => (await team.member.call('GET /session')).body.member.id;
const recorded = await team.make({ recipient: { first_name: 'Sol', phone: '+14155550771' } }, { recorded: true });
const statusOf = ({ status }: { status: number }) => status;

describe('reassigning an intro', () => {
  const give = (id: string, member: string) =>
    team.manager.call('POST /intros/{id}/reassign', { params: { id }, body: { member } });

  test('notifies the new member, sends webhooks, and revokes the previous link', async () => {
    const { body: endpoint } = await team.organization.api.post('/v1/webhook_endpoints', {
      url: receiver.url,
      events: ['*'],
    });
    const { id } = await createIntro(team.organization.api, { member: { id: await idOfMember() } });
    const before = await team.detail(id);
    expect(await open(before.record_url)).toBe(200);
    const [next, gone] = [await team.add({ first_name: 'Nia', last_name: 'Next' }), await team.add()];
    await team.database.sql`update members set active = false where id = ${gone.id}`;
    for (const wrong of [gone.id, team.other.organization.memberId])
      expect((await give(id, wrong)).error.field).toBe('member');
    expect((await give(id, next.id)).status).toBe(200);

    const after = await team.detail(id);
    expect(after).toMatchObject({ status: 'requested', member: { id: next.id } });
    expect(after.team?.raw.version).toBe(Number(before.team?.raw.version) + 1);
    const reassigned = after.timeline.find(({ type }) => type === 'reassigned');
    expect(reassigned?.detail).toMatchObject({ from: before.member.id, to: next.id });
    expect(after.record_url).not.toBe(before.record_url);
    expect([await open(before.record_url), await open(after.record_url)]).toEqual([410, 200]);
    expect((await team.member.call('GET /intros/{id}', { params: { id } })).status).toBe(404);
    const told = await eventually(
      async () =>
        (await team.detail(id)).messages.filter(({ purpose, status }) => purpose === 'ask' && status === 'accepted'),
      (asked) => asked.some(({ address }) => address === next.email),
    );
    expect(told.find(({ address }) => address === next.email)?.body).toContain(after.record_url ?? 'a link');

    const [webhook] = await eventually(
      async () => ((await team.detail(id)).team?.webhooks ?? []).filter(({ type }) => type === 'intro.reassigned'),
      (found) => found.some(({ deliveries }) => deliveries[0]?.status === 'delivered'),
    );
    expect(webhook).toMatchObject({
      payload: { type: 'intro.reassigned', data: { id, member: { id: next.id } } },
      deliveries: [{ endpoint_id: endpoint.id, url: receiver.url, attempts: [{ status: 200 }] }],
    });
  });

  test('shows in the outbox which member received which message', async () => {
    const one = await team.add({ first_name: 'Wanda', last_name: 'Was' });
    const two = await team.add({ first_name: 'Isa', last_name: 'Now' });
    const { id } = await createIntro(team.organization.api, { member: { id: one.id } });
    const toldOf = async () => {
      const { body } = await team.manager.call('GET /messages', { query: { audience: 'member' } });
      return body.rows.filter((row) => row.intro_id === id && row.status === 'accepted');
    };
    await eventually(toldOf, { length: 1 });
    await give(id, two.id);
    const rows = await eventually(toldOf, { length: 2 });
    expect(rows.map(({ to, address }) => [to.first_name, address])).toEqual([
      ['Isa', two.email],
      ['Wanda', one.email],
    ]);
  });
});

test('a manual reminder is sent once for repeated clicks, and returns when', async () => {
  const id = await team.make();
  await eventually(async () => (await team.detail(id)).messages.some(({ status }) => status === 'accepted'));
  const early = await team.manager.call('POST /intros/{id}/remind', { params: { id } });
  expect([early.status, early.error.code]).toEqual([409, 'too_soon']);
  await team.age(id, 2);
  expect((await team.detail(id)).actions.remind).toMatchObject({ possible: true, reason: null });
  const presses = await Promise.all(
    [1, 2, 3].map(() => team.manager.call('POST /intros/{id}/remind', { params: { id } })),
  );
  expect(presses.map(statusOf).sort()).toEqual([200, 409, 409]);
  const { body } = presses.find(({ status }) => status === 200) ?? { body: null };
  const { messages } = await team.detail(id);
  const reminders = messages.filter(({ purpose }) => purpose === 'remind_by_hand');
  expect(reminders.map((message) => message.id)).toEqual([body?.message_id]);
});

test('a text that is sent again waits until a day after the previous one, once, and explains why', async () => {
  const id = recorded;
  await eventually(() => team.detail(id), { status: 'sent' });
  const presses = await Promise.all(
    [1, 2].map(() => team.manager.call('POST /intros/{id}/send-again', { params: { id } })),
  );
  expect(presses.map(statusOf).sort()).toEqual([200, 409]);
  const { body } = presses.find(({ status }) => status === 200) ?? { body: null };
  expect(body?.held_for).toBe('recent_text');
  const { messages, actions } = await team.detail(id);
  expect(messages.find((message) => message.id === body?.message_id)).toMatchObject({ status: 'scheduled' });
  expect(actions.send_again).toMatchObject({ possible: false });
});

test('an intro that the integration delivers can be marked as sent once by its member, and then not be cancelled', async () => {
  const { id } = await createIntro(team.organization.api, { member: { id: await idOfMember() } });
  const mark = () => team.member.call('POST /v1/intros/{id}/mark_sent', { params: { id } });
  const early = await mark();
  expect([early.status, early.error.code]).toEqual([409, 'intro_not_ready']);
  await team.setStatus(id, 'ready');
  expect((await team.detail(id, team.member)).actions.mark_sent.possible).toBe(true);
  await Promise.all([mark(), mark()]);
  const found = await team.detail(id);
  expect(found).toMatchObject({ status: 'sent', actions: { mark_sent: { possible: false } } });
  expect(found.timeline.filter(({ type }) => type === 'sent')).toHaveLength(1);
  const cancelled = await team.member.call('POST /v1/intros/{id}/cancel', { params: { id } });
  expect([cancelled.status, cancelled.error.code]).toEqual([409, 'intro_closed']);
});

test('the video in the console plays in ranges for the team, with its page, and counts no view', async () => {
  const id = recorded;
  const { media, recording, recipient_url: page, thumbnail_url: thumbnail } = await team.detail(id);
  expect(recording).toMatchObject({ status: 'ready', refusal: null });
  const part = await team.manager.get(media?.video_url ?? '', { range: 'bytes=0-99' });
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 100]);
  for (const url of [media?.poster_url, thumbnail]) {
    expect((await team.manager.get(url ?? '')).headers.get('content-type')).toBe('image/jpeg');
  }
  const { body: list } = await team.manager.call('GET /intros', { query: { q: 'Sol' } });
  expect(list.rows).toMatchObject([{ id, thumbnail_url: thumbnail }]);
  const preview = await team.manager.get(media?.page_url ?? '');
  expect(preview.headers.get('content-security-policy')).toContain(`frame-ancestors 'self'`);
  expect(await preview.text()).toContain('Sol');
  expect(await open(page)).toBe(200);
  expect((await fetch(team.service.url + media?.video_url)).status).toBe(401);
  expect(await team.detail(id)).toMatchObject({ opened_at: null, watched_percent: 0 });
});

test('the outbox lists sent messages verbatim, newest first, with filters for audience and status', async () => {
  const list = async (query: { audience?: string; status?: string }) =>
    (await team.manager.call('GET /messages', { query })).body.rows;
  const all = await list({});
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  const texts = await list({ audience: 'recipient', status: 'accepted,delivered' });
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) {
    expect(text).toMatchObject({ audience: 'recipient', channel: 'text', carrier: 'http' });
    expect(text.body).toContain('http');
  }
  const { status, error } = await team.manager.call('GET /messages', { query: { audience: 'unknown' } });
  expect([status, error.field]).toEqual([422, 'audience']);
  const theirs = await team.other.owner.call('GET /messages');
  expect(theirs.body.rows).toEqual([]);
});

const readIntro = async () => (await team.api.get(`/v1/intros/${recorded}`)).body;

test('an intro whose video was removed has no media', async () => {
  const before = await readIntro();
  expect(before.media).not.toBeNull();
  await team.database.sql`update recordings set deleted_at = now() where intro_id = ${recorded}`;
  expect(await readIntro()).toEqual({ ...before, media: null });
  await team.database.sql`update recordings set deleted_at = null where intro_id = ${recorded}`;
});

test('replacing the pages of a deactivated member ends the video on the page and in the API, until they are restored', async () => {
  const params = { id: team.organization.memberId };
  const before = await readIntro();
  const { pathname } = new URL(before.delivery.recipient_url);
  const page = async () => (await fetch(team.service.url + pathname)).text();
  const video = /src="([^"]*\.mp4)"/.exec(await page())?.[1] ?? 'no video';
  expect((await team.manager.call('POST /v1/members/{id}/deactivate', { params })).status).toBe(200);
  await team.manager.call('POST /members/{id}/replace-pages', { params });
  expect(await page()).toContain('Ana no longer works at Acme Roofing');
  expect((await fetch(team.service.url + video)).status).toBe(410);
  expect(await readIntro()).toEqual({ ...before, media: null });
  await team.manager.call('POST /members/{id}/restore-pages', { params });
  expect(await page()).toContain(video);
  expect(await readIntro()).toEqual(before);
});
