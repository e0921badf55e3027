import { describe, expect, test } from 'vitest';
import type { Tenant, Tx } from '../../src/db/tenancy.ts';
import { matchColleagues, readCommand } from '../../src/delivery/inbound/members.ts';
import { cleanText, isReaction, readKeyword } from '../../src/delivery/inbound/rules.ts';
import { createConsents, createErasedOptOuts } from '../../src/delivery/index.ts';
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

test('an opt-out by the API at the same moment is not taken for one by text', async () => {
  const { tenant } = await fixture.createOrganization();
  const given = { phone: '+14155550908', source: 'api' } as const;
  const now = new Date();
  const within = (work: (tx: Tx) => Promise<boolean>) => fixture.db.kysely.transaction().execute(work);
  const erased = createErasedOptOuts(fixture.serverKey);
  const consents = createConsents({
    publish: async () => {},
    erasedOptOuts: {
      ...erased,
      async isOptedOutOtherwise(...args) {
        await within((tx) => consents.optOut(tx, tenant, given, now));
        return erased.isOptedOutOtherwise(...args);
      },
    },
  });
  expect(await within((tx) => consents.optIn(tx, tenant, given, now))).toBe(false);
  expect(await consentsOf(given.phone)).toEqual([{ of: tenant.organizationId, kind: 'opt_out' }]);
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

const decline = (words: string | null = null, number: number | null = null, isClear = false) => ({
  ...{ kind: 'decline', isClear, number, words },
});
const handOver = (name: string, number: number | null = null) => ({ kind: 'hand_over', number, name });

describe('a command of a member', () => {
  test.each([
    ['NO', decline()],
    ['no.', decline()],
    ['Nope', decline()],
    ['PASS', decline()],
    ["Can't", decline()],
    ['Can’t make it', decline('make it')],
    ["I can't, sorry", decline('sorry')],
    ['cannot', decline()],
    ['NO on vacation', decline('on vacation')],
    ['No, on vacation\nuntil Monday', decline('on vacation until Monday')],
    ['No puedo', decline()],
    ['Paso, estoy de viaje', decline('estoy de viaje')],
    ['DECLINE', decline(null, null, true)],
    ['Rechazar', decline(null, null, true)],
    ['NO 2', decline(null, 2)],
    ['no 2: on vacation', decline('on vacation', 2)],
    ['DECLINE 12', decline(null, 12, true)],
    ['NO 2pm is too late', decline('2pm is too late')],
    // One number at a time: the member gets the list.
    ['NO 1, 2', { ...decline('2'), number: 0 }],
    ['NO 1 & 2', { ...decline('& 2'), number: 0 }],
    [`NO ${'x'.repeat(300)}`, decline('x'.repeat(200))],
  ])('declines: %j', (text, expected) => {
    expect(readCommand(text)).toEqual(expected);
  });

  test.each([
    ['GIVE Sam', handOver('Sam')],
    ['give to Sam Lee', handOver('Sam Lee')],
    ['Give 2 Sam', handOver('Sam', 2)],
    ['GIVE 2 TO SAM', handOver('SAM', 2)],
    ['Give it to Sam', handOver('Sam')],
    ['HAND OVER Sam', handOver('Sam')],
    ['Hand it over to Sam', handOver('Sam')],
    ['Handover 3 Sam', handOver('Sam', 3)],
    ['pass to Sam', handOver('Sam')],
    ['PASAR A Samuel', handOver('Samuel')],
    ['Pase 2 a Ana María', handOver('Ana María', 2)],
    ['Give me a call', handOver('me a call')],
  ])('hands over: %j', (text, expected) => {
    expect(readCommand(text)).toEqual(expected);
  });

  test.each([
    ['ANSWER 1 No, that is fine', 'No, that is fine'],
    ['answer 1: Yes\nAt noon', 'Yes\nAt noon'],
    ['RESPUESTA 1 Claro', 'Claro'],
  ])('answers: %j', (text, words) => {
    expect(readCommand(text)).toEqual({ kind: 'answer', number: 1, words });
  });

  test.each([
    'On it',
    'Noah records it',
    'November works',
    'No problem!',
    'No worries, tomorrow',
    'No hay problema',
    'Passing by',
    'Given the weather, at noon',
    'Pasaremos a las dos',
    'Answer is yes',
    'Yes',
    '2',
  ])('is not read into other words: %j', (text) => {
    expect(readCommand(text)).toBeNull();
  });

  test('is none of the keywords that carriers act on', () => {
    for (const word of [
      'NO',
      'NOPE',
      'PASS',
      "CAN'T",
      'DECLINE',
      'GIVE',
      'HAND OVER',
      'ANSWER',
      'NO PUEDO',
      'PASO',
      'PASAR A',
    ]) {
      expect(readKeyword(word)).toBeNull();
    }
    // A keyword comes first: "No más" opts out.
    expect(readKeyword('No más')?.keyword).toBe('stop');
  });
});

describe('colleagues', () => {
  const team = ['Sam Lee', 'Sam Ortiz', 'José Núñez', 'Ana Maria de la Cruz', 'Ana Ng'].map((name) => ({ name }));
  test.each([
    ['sam', ['Sam Lee', 'Sam Ortiz']],
    ['Sam L', ['Sam Lee']],
    ['sam  ortiz!', ['Sam Ortiz']],
    ['jose', ['José Núñez']],
    ['JOSE NUNEZ', ['José Núñez']],
    ['Ana Maria', ['Ana Maria de la Cruz']],
    ['Ana', ['Ana Maria de la Cruz', 'Ana Ng']],
    ['Ana N', ['Ana Ng']],
    ['Lee', []],
    ['S', []],
    ['Samuel', []],
    ['me a call', []],
    ['', []],
    ['!', []],
  ])('named %j', (said, expected) => {
    expect(matchColleagues(team, said).map(({ name }) => name)).toEqual(expected);
  });
});

describe('a reaction', () => {
  test.each([
    'Liked “Acme Roofing: Please record a short video”',
    'Loved "Hi Dana"',
    'Laughed at “Hi Dana,\nsee you”',
    'Emphasized an image',
    'Removed a like from “Hi Dana”',
    'Removed an exclamation from “Hi Dana”',
    '👍 to “Hi Dana”',
    'Reacted 😂 to “Hi Dana”',
    '\u200a\u200b👍\u200b to \u201c\u200aHi Dana\u200a\u201d',
    'Le gustó “Hola”',
    'Me encanta «Hola»',
    'Eliminó un Me gusta de “Hola”',
    'Reaccionó con ❤️ a “Hola”',
  ])('is recognized: %j', (text) => {
    expect(isReaction(cleanText(text))).toBe(true);
  });
  test.each(['I liked “The Roof”, the movie', 'Liked it!', 'Loved the video', '👍', 'Thanks “Ana”'])(
    'is not seen in other words: %j',
    (text) => {
      expect(isReaction(cleanText(text))).toBe(false);
    },
  );
});

test('the words of a text have no invisible characters, and a maximum length', () => {
  expect(cleanText('  Hi\u0000 there\r\nAna\u202e\u0007 ')).toBe('Hi  there\nAna');
  expect(cleanText(`\ud83d${'👍'.repeat(1_600)}`)).toBe(`\ufffd${'👍'.repeat(1_599)}`);
  expect(cleanText('\u0000\n\t')).toBe('');
});
