import { encodeQR } from 'qr';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, eventually, introOfEvent } from './support/actions.ts';
import { openPhone, type Phone } from './support/recorder.ts';
import { openService } from './support/service.ts';

const PERSON =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const ROBOT = `${PERSON} facebookexternalhit/1.1 Facebot Twitterbot/1.0`;

const fixture = await forFile(openService());

const close = (id: string, status: 'cancelled' | 'expired') =>
  fixture.database.sql`update intros set status = ${status}, expires_at = null where id = ${id}`;

describe("the member's link", () => {
  test('opens the recorder for its intro, with a policy that allows only its own files', async () => {
    const intro = await introOfEvent(fixture.api);
    const phone = await openPhone(fixture, intro.id);
    const page = await phone.page();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-robots-tag')).toContain('noindex');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await page.text();
    expect(html).toContain('Dana');
    for (const [, address = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(address).toMatch(/^(\/assets\/|data:,)/);
    for (const [, address = ''] of html.matchAll(/(?:src|href)="(\/assets[^"]*)"/g)) {
      const asset = await fetch(fixture.service.url + address);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
    const [, font = ''] =
      /<link rel="preload" as="font" type="font\/woff2" href="([^"]+)" crossorigin>/.exec(html) ?? [];
    const { headers } = await fetch(fixture.service.url + font, { headers: { 'accept-encoding': 'br' } });
    expect([headers.get('content-type'), headers.get('content-encoding')]).toEqual(['font/woff2', null]);
    expect(policy).toContain("font-src 'self'");
  });

  test('gives the recorder what the member needs, but no phone number or metadata', async () => {
    const intro = await introOfEvent(fixture.api, { metadata: { secret_note: 'for the CRM alone' } });
    const phone = await openPhone(fixture, intro.id);
    const state = await phone.state();
    expect(state).toMatchObject({
      intro: {
        status: 'requested',
        touchpoint: 'Project kickoff',
        recipient: { first_name: 'Dana', last_name: 'Reyes' },
        script: intro.instructions.script,
        delivery: intro.delivery.responsibility,
        recipient_url: null,
      },
      member: { first_name: 'Ana', words_per_minute: null },
      organization: { name: 'Acme Roofing', logo_url: null },
      recording: null,
      limits: { soft_s: 15, hard_s: 30 },
    });
    expect(JSON.stringify(state)).not.toMatch(/\+1415|secret_note|CRM alone/);
  });

  test('shows no character that reorders text', async () => {
    const recipient = { first_name: 'Dana\u202emoc.live', phone: '+14155550123' };
    const { id } = await createIntro(fixture.api, { recipient, instructions: { script: 'Hi\u2066 Dana\u200f' } });
    const page = await (await (await openPhone(fixture, id)).page()).text();
    expect(page).toContain('Danamoc.live');
    expect(page).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\\u20[0-6]/i);
  });

  test('counts as opened once a person opens the recorder, not when a robot fetches the page', async () => {
    const { id } = await createIntro(fixture.api);
    const { url } = await openPhone(fixture, id);
    const call = async (method: string, address: string, headers: Record<string, string>) =>
      expect((await fetch(address, { method, headers })).status).toBe(200);
    const openings = async () =>
      (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data.filter(
        ({ type }: { type: string }) => type === 'opened_by_member',
      );
    for (const method of ['GET', 'HEAD']) {
      for (const agent of [PERSON, ROBOT]) await call(method, url, { 'user-agent': agent });
      await call(method, `${url}/state`, { 'user-agent': ROBOT });
    }
    await call('HEAD', `${url}/state`, { 'user-agent': PERSON });
    await call('GET', `${url}/state`, { 'user-agent': PERSON, 'sec-purpose': 'prefetch;prerender' });
    expect(await openings()).toEqual([]);
    await call('GET', `${url}/state`, { 'user-agent': PERSON });
    const [opening] = await openings();
    expect(opening).toMatchObject({ cause: 'member', detail: null });
    await call('GET', `${url}/state`, { 'user-agent': PERSON });
    expect(await openings()).toEqual([opening]);
  });

  test('is stable and unique to its intro', async () => {
    const [one, other] = [await createIntro(fixture.api), await createIntro(fixture.api)];
    const first = await fixture.run('intro', 'link', one.id);
    expect(await fixture.run('intro', 'link', one.id)).toEqual(first);
    expect(first.url).toMatch(/\/r\/[0-9A-Za-z]{22}$/);
    expect((await fixture.run('intro', 'link', other.id)).url).not.toBe(first.url);
  });

  test('is stored only as a hash', async () => {
    const { id } = await createIntro(fixture.api);
    const { url } = await fixture.run('intro', 'link', id);
    const token = String(url).split('/').at(-1) ?? '';
    const rows = await fixture.database.sql`select * from links where intro_id = ${id}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  });

  test.each(['cancelled', 'expired'] as const)(
    "of an intro that is %s is 410 in the organization's brand",
    async (status) => {
      const { id } = await createIntro(fixture.api);
      const phone = await openPhone(fixture, id);
      await close(id, status);
      const page = await phone.page();
      expect(page.status).toBe(410);
      expect(await page.text()).toContain('Acme Roofing');
      const state = await fetch(`${phone.url}/state`);
      expect(state.status).toBe(410);
      expect(await state.json()).toEqual({ closed: status });
      expect((await fetch(`${phone.url}/preview`)).status).toBe(410);
    },
  );

  test.each(['x', 'a'.repeat(22), 'a'.repeat(200), '..%2f..%2fetc%2fpasswd', '%00', "'or'1'='1"])(
    'that is unknown (%s) is a 404 without any details',
    async (token) => {
      const page = await fetch(`${fixture.service.url}/r/${token}`);
      expect(page.status).toBe(404);
      expect(await page.text()).not.toContain('Acme');
      expect((await fetch(`${fixture.service.url}/r/${token}/state`)).status).toBe(404);
    },
  );

  test('does not open the page of the recipient', async () => {
    const { id } = await createIntro(fixture.api);
    const token = (await openPhone(fixture, id)).url.split('/').at(-1);
    expect((await fetch(`${fixture.service.url}/i/${token}`)).status).toBe(404);
  });
});

describe('the speaking pace', () => {
  test('is saved for the member and returned with the next intro', async () => {
    const phone = await openPhone(fixture, (await createIntro(fixture.api)).id);
    const answer = await fetch(`${phone.url}/preferences`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ words_per_minute: 165 }),
    });
    expect(answer.status).toBe(204);
    const next = await openPhone(fixture, (await createIntro(fixture.api)).id);
    expect((await next.state()).member.words_per_minute).toBe(165);
  });

  test.each(['', '[]', '{}', '{"words_per_minute":59}', '{"words_per_minute":"150"}'])(
    'is not changed by the invalid body %s',
    async (body) => {
      const phone = await openPhone(fixture, (await createIntro(fixture.api)).id);
      const before = (await phone.state()).member.words_per_minute;
      const answer = await fetch(`${phone.url}/preferences`, { method: 'POST', body });
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: { field: 'body' } });
      expect((await phone.state()).member.words_per_minute).toBe(before);
    },
  );
});

test('the language that the member chose is kept, for the pages of their links and for no one else', async () => {
  const [intro, other] = [await createIntro(fixture.api), await createIntro(fixture.api)];
  const phone = await openPhone(fixture, intro.id);
  const choose = (language: string) =>
    fetch(`${phone.url}/preferences`, { method: 'POST', body: JSON.stringify({ language }) });
  expect((await choose('fr')).status).toBe(422);
  expect((await choose('es')).status).toBe(204);
  const later = await openPhone(fixture, other.id);
  expect(await (await later.page()).text()).toContain('<html lang="es"');
  expect(await later.state()).toMatchObject({ member: { language: 'es' }, consent: { language: 'es' } });
  await close(other.id, 'cancelled');
  expect(await (await later.page()).text()).toContain('No hace falta grabar este video');
  expect((await choose('en')).status).toBe(204);
});

test('a QR code opens the same link on a phone', async () => {
  const { url } = await openPhone(fixture, (await createIntro(fixture.api)).id);
  const code = await fetch(`${url}/qr.svg`);
  expect([code.status, code.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(await code.text()).toBe(encodeQR(url, 'svg', { ecc: 'low', border: 4 }));
});

test('the member can have a text sent anyway that the appointment stopped, and no other', async () => {
  const recipient = { first_name: 'Dana', phone: '+15005550146' };
  const { id } = await createIntro(fixture.api, { recipient, delivery: { responsibility: 'service' } });
  const { url } = await openPhone(fixture, id);
  const send = async () => (await fetch(`${url}/send`, { method: 'POST' })).status;
  await fixture.database
    .sql`update intros set status = 'ready', recorded_at = now(), expires_at = now() + interval '30 days',
       delivery_error_code = 'undelivered' where id = ${id}`;
  expect(await send()).toBe(409);
  await fixture.database.sql`update intros set delivery_error_code = 'appointment_over' where id = ${id}`;
  expect([await send(), await send()]).toEqual([204, 409]);
  const intro = await eventually(async () => (await fixture.api.get(`/v1/intros/${id}`)).body, { status: 'sent' });
  expect(intro.delivery).toMatchObject({ reason: null, error: null });
});

let member = 0;

/** A member with intros that are due one after another. */
async function openMember(firstNames: readonly string[]) {
  member += 1;
  const externalId = `next_${member}`;
  await fixture.run(
    ...['member', 'create', '--org', fixture.organization.id, '--first-name', 'Ana', '--last-name', 'Ng'],
    ...['--email', `${externalId}@acme.example`, '--external-id', externalId],
  );
  const ids: string[] = [];
  for (const [days, first_name] of firstNames.entries()) {
    const starts_at = new Date(Date.now() + (days + 2) * 86_400_000).toISOString();
    const { id } = await createIntro(fixture.api, {
      member: { external_id: externalId },
      recipient: { first_name, phone: '+14155550123' },
      context: { appointment: { starts_at, timezone: 'America/Chicago' } },
    });
    ids.push(id);
  }
  return ids;
}

// biome-ignore lint/suspicious/noExplicitAny: tests access response fields freely, as in the harness.
async function nextOf({ url }: Phone, skip = ''): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/next${skip}`);
  return { status: response.status, body: await response.json() };
}

const NOTHING = { next: null, left: 0, has_more: false };

test("a member's link leads to the same member's next intro, the most urgent first, which does not count as opened", async () => {
  const [a = '', b = '', c = ''] = await openMember(['Ada', 'Ben', 'Cleo']);
  await openMember(['Stranger']);
  const phone = await openPhone(fixture, a);
  const { body } = await nextOf(phone);
  // The console needs a sign-in, which a link is not.
  expect(body).toMatchObject({ left: 2, has_more: false, home: null });
  expect(body.next.state.intro).toMatchObject({ id: b, recipient: { first_name: 'Ben' }, status: 'requested' });
  const state = await fetch(new URL(`${body.next.api}/state`, fixture.service.url));
  expect(await state.json()).toMatchObject({ intro: { id: b } });
  // The page is still sending the take of `b`.
  const skipped = (await nextOf(phone, `?skip=${b},not-an-id`)).body;
  expect([skipped.left, skipped.next.state.intro.id]).toEqual([1, c]);
  expect((await nextOf(phone, `?skip=${b},${c}`)).body).toMatchObject(NOTHING);
  const seen = await fixture.database.sql`select 1 from intros where id = ${c} and member_opened_at is not null`;
  expect(seen).toEqual([]);
});

test('a link that expires, an old one and one of a deactivated member lead nowhere', async () => {
  const [a = ''] = await openMember(['Ada', 'Ben']);
  const phone = await openPhone(fixture, a);
  expect((await nextOf(phone)).body.left).toBe(1);

  const { key } = await fixture.run(
    ...['key', 'create', '--org', fixture.organization.id, '--name', 'App', '--allow-recording-links', 'true'],
  );
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `next:${a}` };
  const { body: link } = await fixture.api.raw('POST', `/v1/intros/${a}/recording_link`, { headers });
  const expiring = fixture.service.url + new URL(link.url).pathname;
  expect(await (await fetch(`${expiring}/next`)).json()).toBeNull();

  await fixture.database.sql`update intros set status = 'sent', recorded_at = now() - interval '25 hours'
    where id = ${a}`;
  expect((await nextOf(phone)).body).toBeNull();
  await fixture.database.sql`update intros set recorded_at = now() where id = ${a}`;
  expect((await nextOf(phone)).body.left).toBe(1);
  await fixture.database.query('update members set active = false where external_id = $1 and organization_id = $2', [
    `next_${member}`,
    fixture.organization.id,
  ]);
  expect((await nextOf(phone)).body).toBeNull();
});

test('intros that are closed or already recorded are not offered, not even by a link of a closed one', async () => {
  const [a = '', b = '', c = ''] = await openMember(['Ada', 'Ben', 'Cleo']);
  const phone = await openPhone(fixture, a);
  await fixture.database.sql`update intros set status = 'cancelled', expires_at = null where id = ${b}`;
  const other = await openPhone(fixture, c);
  await other.send(Buffer.from('no video'.repeat(50)));
  await fixture.database.sql`update recordings set status = 'uploaded', retry_at = now() + interval '1 hour'
    where intro_id = ${c}`;
  expect((await nextOf(phone)).body).toMatchObject(NOTHING);
});

test('a link of a cancelled or expired intro leads to the next one for a day, without anything of the organization', async () => {
  const [a = '', b = ''] = await openMember(['Ada', 'Ben']);
  const phone = await openPhone(fixture, a);
  const nextLink = async () => /href="(\/r\/[^"]+)">Record for Ben</.exec(await (await phone.page()).text())?.[1];
  for (const closed of [
    "status = 'cancelled', cancelled_at = now(), expires_at = null",
    "status = 'expired', expires_at = now()",
  ]) {
    await fixture.database.query(`update intros set ${closed} where id = $1`, [a]);
    const { body } = await nextOf(phone);
    expect([body.next.state.intro.id, body.left]).toEqual([b, 1]);
    expect(await nextLink()).toBe(body.next.api);
  }
  await fixture.database
    .sql`update intros set expires_at = now() - interval '25 hours', cancelled_at = null where id = ${a}`;
  expect((await nextOf(phone)).body).toBeNull();
  expect(await nextLink()).toBeUndefined();
});

test('a link of an intro that its member handed over leads to the next one', async () => {
  await openMember([]);
  const [a = '', b = ''] = await openMember(['Ada', 'Ben']);
  const phone = await openPhone(fixture, a);
  const colleagues = (await (await fetch(`${phone.url}/colleagues`)).json()) as { colleagues: { id: string }[] };
  const body = JSON.stringify({ member: colleagues.colleagues[0]?.id });
  expect((await fetch(`${phone.url}/hand-over`, { method: 'POST', body })).status).toBe(204);

  const { body: next } = await nextOf(phone);
  expect([next.next.state.intro.id, next.left]).toEqual([b, 1]);
  expect(await (await phone.page()).text()).toContain(`href="${next.next.api}">Record for Ben<`);
  await fixture.database
    .sql`update intro_reassignments set created_at = now() - interval '25 hours' where intro_id = ${a}`;
  expect((await nextOf(phone)).body).toBeNull();
});
