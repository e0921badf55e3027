import { expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { createErasedOptOuts } from '../../src/delivery/index.ts';
import type { KeywordReply } from '../../src/delivery/wording/texts.ts';
import { newId } from '../../src/platform/ids.ts';
import { forFile } from '../harness/index.ts';
import { TWILIO } from './carrier-services.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z'));

const receive = (from: string, body: string, tenant?: Tenant) =>
  fixture.delivery.routes.replies.receive({ from, body, organizationId: tenant?.organizationId ?? null });

const consentsOf = (phone: string) =>
  fixture.database.query('select organization_id as of, kind from consents where phone = $1 order by id', [phone]);

test("a STOP to an organization's own number opts out of its texts, even if it never texted the sender", async () => {
  const { tenant } = await fixture.createOrganization({ name: 'Ames Roofing' });
  const phone = '+14155550901';
  const known = { language: 'en', organization: 'Ames Roofing', isKnown: true };
  expect(await receive(phone, 'STOP', tenant)).toEqual({ keyword: 'stop', ...known });
  expect(await consentsOf(phone)).toEqual([{ of: tenant.organizationId, kind: 'opt_out' }]);
  expect(fixture.events).toEqual([{ type: 'recipient.opted_out', subject: phone }]);
  expect(await receive(phone, 'START', tenant)).toEqual({ keyword: 'start', ...known });
  expect(await consentsOf(phone)).toHaveLength(2);
});

test('a START ends the opt-out of an erased number', async () => {
  const { tenant } = await fixture.createOrganization();
  const phone = '+14155550906';
  const erased = createErasedOptOuts(fixture.serverKey);
  await fixture.database.query("insert into erased_opt_outs values ($1, 'test', $2, 'text', now())", [
    tenant.organizationId,
    erased.hashOf(tenant, phone),
  ]);
  const findOptedOut = () =>
    erased.findOptedOut(fixture.db.pool, [
      { tenant, phone: '+14155550907' },
      { tenant, phone },
    ]);
  expect(await findOptedOut()).toEqual([1]);
  await receive(phone, 'START', tenant);
  expect(await findOptedOut()).toEqual([]);
  expect(await consentsOf(phone)).toEqual([{ of: tenant.organizationId, kind: 'opt_in' }]);
});

test('a STOP to the shared number before the first text counts for organizations with a pending intro', async () => {
  const phone = '+14155550902';
  const { tenant: first, memberId } = await fixture.createOrganization({
    name: 'First',
    member: { notify_by: 'email' },
  });
  const { tenant: handsOver, memberId: theirs } = await fixture.createOrganization({ name: 'Hands over' });
  const { tenant: separate, memberId: apart } = await fixture.createOrganization({ name: 'Separate' });
  await fixture.useAccount(separate, TWILIO);
  const id = await fixture.createIntro({ tenant: first, member: memberId, phone });
  await fixture.createIntro({ tenant: handsOver, member: theirs, phone, responsibility: 'integration' });
  await fixture.createIntro({ tenant: separate, member: apart, phone });
  expect(await receive(phone, 'Stop')).toEqual({
    keyword: 'stop',
    language: 'en',
    organization: 'First',
    isKnown: true,
  });
  expect(await consentsOf(phone)).toEqual([{ of: first.organizationId, kind: 'opt_out' }]);
  await fixture.tick();
  await fixture.record(id);
  await fixture.tick();
  expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
});

test('a STOP that concerns several organizations opts out of each, and names none', async () => {
  const phone = '+14155550903';
  for (const name of ['One', 'Two']) {
    const { tenant, memberId } = await fixture.createOrganization({ name });
    await fixture.createIntro({ tenant, member: memberId, phone });
  }
  expect(await receive(phone, 'QUIT')).toEqual({ keyword: 'stop', language: 'en', organization: null, isKnown: true });
  expect(await consentsOf(phone)).toHaveLength(2);
});

test('a STOP that concerns no organization changes nothing, and does not claim to', async () => {
  const phone = '+14155550904';
  expect(await receive(phone, 'STOP')).toEqual({ keyword: 'stop', language: 'en', organization: null, isKnown: false });
  const unrelated = { organizationId: newId('org', fixture.now()), environment: 'test' } as const;
  expect(await receive(phone, 'STOP', unrelated)).toMatchObject({ isKnown: false });
  expect(await consentsOf(phone)).toEqual([]);
  expect(await fixture.database.query('select 1 from opt_outs where phone = $1', [phone])).toEqual([]);
});

test('a keyword is answered in its own language, otherwise in that of the newest intro, otherwise in that of the organization', async () => {
  const phone = '+14155550905';
  const { tenant, memberId: member } = await fixture.createOrganization({ name: 'Techos Ames' });
  const languageOf = async (body: string) => ((await receive(phone, body, tenant)) as KeywordReply | null)?.language;
  expect(await languageOf('help')).toBe('en');
  await fixture.database.query("update organizations set language = 'es' where id = $1", [tenant.organizationId]);
  expect(await languageOf('help')).toBe('es');
  await fixture.createIntro({ tenant, member, phone, language: 'en' });
  expect(await languageOf('help')).toBe('en');
  expect(await languageOf('Ayuda')).toBe('es');
  expect(await languageOf('ALTO')).toBe('es');
  expect(await consentsOf(phone)).toEqual([{ of: tenant.organizationId, kind: 'opt_out' }]);
});

test('a text to a recipient is in their language, and a notification in that of the organization', async () => {
  const { tenant, memberId: member } = await fixture.createOrganization({
    name: 'Techos Ames',
    member: { notify_by: 'email' },
  });
  const id = await fixture.deliver({ tenant, member, phone: '+14155550906', language: 'es' });
  const bodies = (await fixture.messages(id)).map(({ body }) => body);
  expect(bodies.find((body) => body?.includes('Please record'))).toBeDefined();
  expect(bodies.find((body) => body?.includes('tiene un breve video personal para usted'))).toBeDefined();
});

const heldText = async (id: string) =>
  (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver') ?? expect.fail('no text');

test('any reasonable words opt out like STOP, in their language, and are kept as evidence', async () => {
  const phone = '+14155550907';
  const { tenant, memberId: member } = await fixture.createOrganization({ name: 'Ames' });
  const known = { keyword: 'stop', organization: 'Ames', isKnown: true };
  for (const [words, language] of [
    ['Please stop texting me', 'en'],
    ['no me escriban más', 'es'],
  ] as const) {
    expect(await receive(phone, words, tenant)).toEqual({ ...known, language });
    const [last] = await fixture.database.query('select kind, source, said from consents order by id desc limit 1');
    expect(last).toEqual({ kind: 'opt_out', source: 'text', said: words });
    const id = await fixture.deliver({ tenant, member, phone });
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
    await receive(phone, 'START', tenant);
  }
});

test('in doubt, the recipient is asked once, and texts wait for the answer, at most 24 hours', async () => {
  const phone = '+14155550908';
  const { tenant, memberId: member } = await fixture.createOrganization({ name: 'Acme Roofing' });
  expect(await receive(phone, 'Wrong number', tenant)).toEqual({ text: 'Reply STOP to end texts from Acme Roofing' });
  expect(await receive(phone, 'not interested', tenant)).toBeNull();
  const askedAt = fixture.now();
  const first = await fixture.deliver({ tenant, member, phone });
  const until = new Date(askedAt.getTime() + 24 * 3_600_000);
  expect(await heldText(first)).toMatchObject({ status: 'scheduled', held_for: 'opt_out_question', due_at: until });

  // An ordinary reply is an answer.
  await receive(phone, 'Oh wait, it is me. Thanks!', tenant);
  await fixture.tick();
  expect((await heldText(first)).status).not.toBe('scheduled');

  const asked = '+14155550909';
  await receive(asked, 'Wrong number', tenant);
  const stopped = await fixture.deliver({ tenant, member, phone: asked });
  expect(await receive(asked, 'stop texting', tenant)).toMatchObject({ keyword: 'stop' });
  await fixture.tick();
  expect(await fixture.intro(stopped)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });

  const silent = '+14155550910';
  await receive(silent, 'Wrong number', tenant);
  const waiting = await fixture.deliver({ tenant, member, phone: silent });
  expect((await heldText(waiting)).status).toBe('scheduled');
  await fixture.pass(24 * 3_600_000);
  expect((await heldText(waiting)).status).not.toBe('scheduled');
});
