import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro } from './support/actions.ts';
import { openPhone, type Phone } from './support/recorder.ts';
import { openService } from './support/service.ts';

let member = 0;

const fixture = await forFile(openService());

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

test("a member's link leads to the same member's next intro, the most urgent first", async () => {
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
});

test('looking at the next intro does not count as opening its recorder', async () => {
  const [a = '', b = ''] = await openMember(['Ada', 'Ben']);
  await nextOf(await openPhone(fixture, a));
  const rows = await fixture.database.sql`select member_opened_at from intros where id = ${b}`;
  expect(rows).toEqual([{ member_opened_at: null }]);
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
