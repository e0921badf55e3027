import {
  type AuditAction,
  CONSOLE_OPERATIONS,
  type ConsoleKey,
  OPERATIONS,
  type OperationForm,
} from '@foreword/contract';
import { expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import type { ConsoleAsk, ConsoleClient } from '../console/console-client.ts';
import { CALLS, type Ids, UNKNOWN_IDS } from '../console/operation-calls.ts';
import { openTeam } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';
import { forFile } from '../harness/index.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

/** The action that an operation records, or why it records none. */
type AuditDeclaration = AuditAction | { readonly exempt: string };

type Writes<T extends Readonly<Record<string, { method: string }>>> = {
  [Id in keyof T]: T[Id]['method'] extends 'GET' ? never : Id;
}[keyof T];
type AuditableOperation = Writes<typeof CONSOLE_OPERATIONS> | Writes<typeof OPERATIONS>;

const READS_ONLY = { exempt: 'It changes nothing.' };
const OWN_DATA = { exempt: "It appears in the intro's timeline or in the events." };
const TEST_HELPER = { exempt: 'A test helper: it simulates what a recipient, a carrier or time does.' };
const CHECKS_DOMAIN = {
  exempt: 'It only brings the next check forward. `link_domain.verified` records what it proves.',
};
const CEREMONY = { exempt: 'The first half of a ceremony. The second half is recorded.' };

/** Every operation of the console and of the API that is not a GET. A new one without a declaration is a type error. */
const AUDITED_OPERATIONS = {
  signOut: 'session.ended',
  endSession: 'session.ended',
  endOtherSessions: 'session.ended',
  startPasskey: CEREMONY,
  addPasskey: 'passkey.added',
  renamePasskey: 'passkey.renamed',
  removePasskey: 'passkey.removed',
  resetPasskeys: 'passkey.reset',
  changeSecondFactor: 'organization.changed',
  createKey: 'key.created',
  changeKey: 'key.changed',
  revokeKey: 'key.revoked',
  explainEvent: READS_ONLY,
  changeBrand: 'brand.changed',
  previewBrand: READS_ONLY,
  uploadLogo: 'brand.changed',
  removeLogo: 'brand.changed',
  createTouchpoint: 'touchpoint.created',
  changeTouchpoint: 'touchpoint.changed',
  copyTouchpoint: 'touchpoint.copied',
  resetTouchpoint: 'touchpoint.reset',
  undoTouchpointChange: 'touchpoint.undone',
  moveTouchpoint: 'touchpoint.moved',
  previewTouchpoint: READS_ONLY,
  checkScriptLength: READS_ONLY,
  startIntro: OWN_DATA,
  changeOwnSettings: 'member.changed',
  addMember: 'member.added',
  changeMember: 'member.changed',
  uploadPhoto: 'member.changed',
  removePhoto: 'member.changed',
  confirmEmail: 'member.changed',
  replacePages: 'member.pages_replaced',
  restorePages: 'member.pages_restored',
  giveLikeness: 'likeness.given',
  withdrawLikeness: 'likeness.withdrawn',
  previewImport: READS_ONLY,
  importMembers: 'member.added',
  changeTextLimits: 'organization.changed',
  resumeTexts: 'organization.texts_resumed',
  importOptOuts: 'consent.withdrawn',
  dismissSetup: { exempt: 'It hides a checklist, and changes no setting.' },
  reassignIntro: 'intro.reassigned',
  declineIntro: OWN_DATA,
  remindMember: OWN_DATA,
  sendAgain: OWN_DATA,
  settleReply: OWN_DATA,
  changeRetention: 'organization.changed',
  previewRetention: READS_ONLY,
  previewErasure: READS_ONLY,
  createTouchpointEvent: OWN_DATA,
  retryEvent: OWN_DATA,
  dryRun: READS_ONLY,
  createIntro: OWN_DATA,
  cancelIntro: 'intro.cancelled',
  markIntroSent: OWN_DATA,
  correctIntroPhone: 'intro.phone_corrected',
  takeDownIntro: 'intro.taken_down',
  optOutRecipient: 'consent.withdrawn',
  optInRecipient: 'consent.restored',
  eraseRecipient: 'recipient.erased',
  retryRecording: OWN_DATA,
  createRecordingLink: { exempt: 'The link expires soon, and the request log shows who asked for it.' },
  recordTestIntro: TEST_HELPER,
  openTestIntro: TEST_HELPER,
  watchTestIntro: TEST_HELPER,
  replyTestIntro: TEST_HELPER,
  optOutTestRecipient: TEST_HELPER,
  optInTestRecipient: TEST_HELPER,
  expireTestIntro: TEST_HELPER,
  failTestIntro: TEST_HELPER,
  advanceTestClock: TEST_HELPER,
  resetTestClock: TEST_HELPER,
  createMember: 'member.added',
  updateMember: 'member.changed',
  deactivateMember: 'member.deactivated',
  reactivateMember: 'member.reactivated',
  createLinkDomain: 'link_domain.added',
  checkLinkDomain: CHECKS_DOMAIN,
  deleteLinkDomain: 'link_domain.removed',
  createWebhookEndpoint: 'webhook.created',
  updateWebhookEndpoint: 'webhook.changed',
  deleteWebhookEndpoint: 'webhook.deleted',
  rotateWebhookSecret: 'webhook.secret_rotated',
  testWebhookEndpoint: { exempt: 'A sample message, which is listed with the messages of the endpoint.' },
  replayWebhooks: 'webhook.replayed',
} as const satisfies Record<AuditableOperation, AuditDeclaration>;

type Declarations = typeof AUDITED_OPERATIONS;
type Audited = { [K in keyof Declarations]: Declarations[K] extends string ? K : never }[keyof Declarations];
type Credential = 'session' | 'key';

const DECLARED: Readonly<Record<string, AuditDeclaration>> = AUDITED_OPERATIONS;
const ALL: Readonly<Record<string, OperationForm>> = { ...CONSOLE_OPERATIONS, ...OPERATIONS };
/** Every operation that is recorded, for each credential that may use it. */
const RECORDED = Object.entries(DECLARED).flatMap(([name, action]) => {
  // It needs an authenticator, which only a browser has: see browser/console-passkeys.test.ts.
  if (typeof action !== 'string' || name === 'addPasskey') return [];
  const credentials: Credential[] = ALL[name]?.role === undefined ? [] : ['session'];
  if (name in OPERATIONS) credentials.push('key');
  return credentials.map((credential) => [name as Audited, action, credential] as const);
});

const team = await forFile(openTeam());
const { owner, manager, api, database } = team;

let numbers = 0;
const nextNumber = (): number => ++numbers;
const newPhone = (): string => `+14155550${100 + nextNumber()}`;
const add = async (): Promise<string> => (await team.add()).id;
const deactivated = async (): Promise<string> => {
  const id = await add();
  await api.post(`/v1/members/${id}/deactivate`, { open_intros: 'keep' });
  return id;
};
const createPasskey = async (memberId: string): Promise<string> => {
  const id = `pk_${String(nextNumber()).padStart(26, '0')}`;
  await database.sql`delete from passkeys where member_id = ${memberId}`;
  await database.sql`insert into passkeys (organization_id, environment, id, member_id, name, credential_id, public_key, counter, transports, created_at)
    values (${team.organization.id}, 'test', ${id}, ${memberId}, 'Laptop', ${Buffer.from(id)}, 'k', 0, '{}', now())`;
  // As if it had confirmed the session.
  await database.sql`update console_sessions set second_factor_at = now() where member_id = ${memberId}`;
  return id;
};
const brandVersion = async (): Promise<number> => (await owner.call('GET /brand')).body.version;
const renamed = async (slug: string) => {
  const { version } = (await owner.call('GET /touchpoints/{slug}', { params: { slug } })).body;
  const body = { version, name: `Renamed ${nextKey()}` };
  return { slug, version: (await owner.call('POST /touchpoints/{slug}', { params: { slug }, body })).body.version };
};
/** Signs in for one call, because the call ends the session. */
const signInAgain = (): Promise<ConsoleClient> => team.signIn(team.organization.id, 'owner@acme.example');
const person = () => ({ first_name: 'New', last_name: 'Person', email: `new${nextNumber()}@elsewhere.example` });

type Reply = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** The ids of a call, in the console by the owner unless another client is given. */
type Prepared = Partial<Ids> & { readonly by?: ConsoleClient; readonly body?: object };

/** New objects for the operations with this in their path. */
const OBJECTS: Readonly<Record<string, () => Promise<Prepared>>> = {
  '/intros/': async () => ({ intro: (await createIntro(api)).id }),
  '/keys/{': async () => ({ key: (await owner.call('POST /keys', { body: { name: 'CRM' } })).body.key.id }),
  '/link-domains/{': async () => ({
    domain: (await api.post('/v1/link-domains', { host: `d${nextNumber()}.acme.example` })).body.id,
  }),
  '/members/{': async () => ({ member: await add() }),
  '/webhook_endpoints/{': async () => {
    const webhook = (await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' })).body.id;
    // An organization may have only a few.
    await database.sql`delete from webhook_endpoints where organization_id = ${team.organization.id} and id <> ${webhook}`;
    return { webhook };
  },
};

/** Prepares the operations that need more, so that a call succeeds and changes something. */
const PREPARATIONS: { readonly [K in Audited]?: () => Promise<Prepared> } = {
  signOut: async () => ({ by: await signInAgain() }),
  async endSession() {
    const { sessions } = (await (await signInAgain()).call('GET /sessions')).body;
    return { session: sessions.find(({ is_this }) => is_this)?.id ?? '' };
  },
  endOtherSessions: () => signInAgain().then(() => ({})),
  renamePasskey: async () => ({ by: manager, passkey: await createPasskey(team.managerId) }),
  removePasskey: async () => ({ by: manager, passkey: await createPasskey(team.managerId) }),
  async resetPasskeys() {
    const member = await add();
    await createPasskey(member);
    return { member };
  },
  changeBrand: async () => ({ version: await brandVersion() }),
  uploadLogo: async () => ({ version: await brandVersion() }),
  async removeLogo() {
    await owner.call('POST /brand/logo', CALLS['POST /brand/logo']({ ...UNKNOWN_IDS, version: await brandVersion() }));
    return { version: await brandVersion() };
  },
  changeTouchpoint: () => renamed('project_update'),
  resetTouchpoint: () => renamed('project_update'),
  async undoTouchpointChange() {
    const { slug, version } = await renamed('project_update');
    const { changes } = (await owner.call('GET /touchpoints/{slug}/history', { params: { slug } })).body;
    return { slug, version, change: changes[0]?.id ?? '' };
  },
  giveLikeness: async () => ({
    body: {
      version: (await owner.call('GET /members/{id}/likeness', { params: { id: team.ownerId } })).body.text.version,
    },
  }),
  changeMember: async () => ({ by: manager }),
  async removePhoto() {
    const member = await add();
    await owner.call('POST /members/{id}/photo', CALLS['POST /members/{id}/photo']({ ...UNKNOWN_IDS, member }));
    return { member };
  },
  async confirmEmail() {
    const member = await add();
    await database.sql`update members set bounced_email = lower(email), email_bounced_at = now() where id = ${member}`;
    return { member };
  },
  replacePages: async () => ({ member: await deactivated() }),
  async restorePages() {
    const member = await deactivated();
    await owner.call('POST /members/{id}/replace-pages', { params: { id: member } });
    return { member };
  },
  async importMembers() {
    const text = `first_name,last_name,email\n${Object.values(person())}`;
    const { fingerprint } = (await owner.call('POST /members/import/preview', { body: { text } })).body;
    return { body: { text, fingerprint, skip_problems: false } };
  },
  async resumeTexts() {
    await owner.call('POST /text-limits', { body: { countries: ['US'] } });
    await database.sql`update delivery_settings set texts_paused_at = now(), texts_paused_for = 'burst'
      where organization_id = ${team.organization.id}`;
    return {};
  },
  importOptOuts: async () => ({ by: manager }),
  reassignIntro: async () => ({ by: manager, member: await add() }),
  async takeDownIntro() {
    const { id: intro } = await createIntro(api);
    await database.sql`update intros set status = 'sent', sent_at = now(), recorded_at = now() where id = ${intro}`;
    return { intro };
  },
  async optInRecipient() {
    const phone = newPhone();
    await api.post('/v1/recipients/opt_out', { phone });
    return { phone };
  },
  createMember: async () => ({ body: person() }),
  updateMember: async () => ({ body: { first_name: 'Other' } }),
  deactivateMember: async () => ({ body: { open_intros: 'keep' } }),
  reactivateMember: async () => ({ member: await deactivated() }),
};

/** Prepares the operation, and returns its call. */
async function prepareCall(name: Audited, credential: Credential): Promise<() => Promise<Reply>> {
  const { method, path } = ALL[name] as OperationForm;
  const [, create = async () => ({})] = Object.entries(OBJECTS).find(([part]) => path.includes(part)) ?? [];
  const prepared = { ...(await create()), ...(await PREPARATIONS[name]?.()) };
  const { by = owner, body, ...ids }: Prepared = prepared;
  const about: Ids = { ...UNKNOWN_IDS, slug: 'project_update', phone: newPhone(), ...ids };
  const key = `${method} ${path}` as ConsoleKey;
  const ask = { ...(CALLS[key]?.(about) as ConsoleAsk<ConsoleKey>), ...(body !== undefined && { body }) };
  if (credential === 'session') return () => by.call(key, ask);
  const { id = about.member } = (ask.params ?? {}) as { id?: string };
  const url = path.replace('{id}', id);
  if (method === 'POST') return () => api.post(url, ask.body);
  return () => api.raw(method, url, { headers: { 'idempotency-key': nextKey() } });
}

/** The entries of operations. The worker adds `likeness.removed` at any time after a withdrawal of consent. */
const readEntries = (): Promise<Entry[]> =>
  team.database.sql<Entry & Record<string, unknown>>`select * from audit_entries
    where organization_id = ${team.organization.id} and action <> 'likeness.removed' order by at, id`;

test('every operation that is not a GET declares its action, or why it records none', () => {
  const writes = Object.keys(ALL).filter((id) => ALL[id]?.method !== 'GET');
  expect(Object.keys(DECLARED).sort()).toEqual(writes.sort());
  for (const declared of Object.values(DECLARED)) {
    if (typeof declared !== 'string') expect(declared.exempt.length).toBeGreaterThan(10);
  }
});

test.each(RECORDED)(
  '%s writes one entry, %s, with actor, address and request, for a %s',
  async (name, action, credential) => {
    const call = await prepareCall(name, credential);
    const before = new Set((await readEntries()).map(({ id }) => id));
    const reply = await call();
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    const written = (await readEntries()).filter((entry) => !before.has(entry.id));
    const isConsole = credential === 'session';
    expect(written).toEqual([
      expect.objectContaining({
        action,
        actor_type: isConsole ? 'member' : 'key',
        actor_id: isConsole ? expect.stringMatching(/^mem_/) : team.organization.keyId,
        ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
        user_agent: expect.any(String),
        request_id: reply.headers.get('request-id'),
      }),
    ]);
  },
);

test('a refused or repeated change writes no entry', async () => {
  const { id } = await team.add();
  const before = await readEntries();
  const refused = [
    await team.member.call('POST /members/{id}', { params: { id }, body: { first_name: 'Mallory' } }),
    await team.owner.call('POST /members/{id}', { params: { id }, body: { email: 'not an email' } }),
    await team.other.owner.call('POST /members/{id}', { params: { id }, body: { first_name: 'Mallory' } }),
    await team.owner.call('POST /members/{id}/restore-pages', { params: { id: 'mem_none' } }),
  ];
  expect(refused.every(({ status }) => status >= 400)).toBe(true);
  const same = await team.owner.call('POST /members/{id}', { params: { id }, body: { first_name: 'Person' } });
  expect(same.status).toBe(200);
  expect(await readEntries()).toEqual(before);
});

test('a role change has an action of its own, and no entry contains a value', async () => {
  const { id } = await team.add({ phone: '+14155550199' });
  const body = { role: 'manager', phone: '+14155550198', first_name: 'Zebulon' } as const;
  expect((await team.owner.call('POST /members/{id}', { params: { id }, body })).status).toBe(200);
  const entry = (await readEntries()).at(-1);
  expect(entry).toMatchObject({
    action: 'member.role_changed',
    object_id: id,
    fields: ['first_name', 'phone', 'role'],
  });
  const all = JSON.stringify(await readEntries());
  for (const value of ['+1415555', 'Zebulon', team.organization.key, 'acme.example']) expect(all).not.toContain(value);
});

test('sign-ins, refused sign-ins and the links of operators are recorded', async () => {
  const { organization, service, run } = team;
  const before = new Set((await readEntries()).map(({ id }) => id));
  const { url } = await run('signin', '--org', organization.id, '--email', 'manager@acme.example');
  const headers = { origin: service.url, 'sec-fetch-site': 'same-origin' };
  const open = () => fetch(service.url + new URL(url).pathname, { method: 'POST', headers, redirect: 'manual' });
  expect((await open()).status).toBe(303);
  expect((await open()).status).toBe(410);
  const written = (await readEntries()).filter(({ id }) => !before.has(id));
  expect(written).toMatchObject([
    { action: 'session.link_created', actor_type: 'operator', object_id: team.managerId, ip: null },
    { action: 'session.started', actor_type: 'member', actor_id: team.managerId, ip: expect.any(String) },
    { action: 'session.failed', object_id: team.managerId, reason: 'link_expired', ip: expect.any(String) },
  ]);
});

test('commands are recorded as the operator', async () => {
  const { id } = await team.run('member', 'create', '--org', team.organization.id, ...names('Cleo'));
  await team.run('member', 'deactivate', id);
  const written = (await readEntries()).slice(-2);
  expect(written).toMatchObject([
    { action: 'member.added', actor_type: 'operator', actor_id: null, object_id: id },
    { action: 'member.deactivated', actor_type: 'operator', actor_id: null, object_id: id },
  ]);
});

const names = (first: string) => ['--first-name', first, '--last-name', 'Ng', '--email', `${first}@acme.example`];
