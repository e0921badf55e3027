import {
  CONSOLE_OPERATIONS,
  type ConsoleId,
  type ConsoleKey,
  OPERATIONS,
  type OperationForm,
} from '@foreword/contract';
import type { AUDITED_OPERATIONS } from '../../src/privacy/audit/index.ts';
import { createIntro } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import type { ConsoleAsk, ConsoleClient } from '../console/console-client.ts';
import type { Team } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';

let numbers = 0;
const nextNumber = (): number => ++numbers;
const phoneNumber = (): string => `+14155550${100 + (nextNumber() % 800)}`;
const HOOK = { url: 'http://127.0.0.1:9/hook' };
const SINCE = { since: '2026-01-01T00:00:00Z' };

type Declared = typeof AUDITED_OPERATIONS;
export type Audited = { [K in keyof Declared]: Declared[K] extends string ? K : never }[keyof Declared];

type Reply = { readonly status: number; readonly headers: Headers; readonly body: unknown };
type Call = () => Promise<Reply>;
type Console = typeof CONSOLE_OPERATIONS;
type KeyOf<Id extends ConsoleId> = `${Console[Id]['method']} ${Console[Id]['path']}` & ConsoleKey;
/** A request, in the console by the owner unless another client is given. */
type Ask<K extends ConsoleKey> = ConsoleAsk<K> & { readonly by?: ConsoleClient };
type AnyAsk = { readonly params?: { readonly id: string }; readonly body?: object; readonly by?: ConsoleClient };
type Prepared<Id> = Id extends ConsoleId ? Ask<KeyOf<Id>> : AnyAsk;

/** Needs an authenticator, which only a browser has. */
const IN_BROWSER = 'test/browser/console-passkeys.test.ts';

/** Prepares every operation that is recorded, so that its call succeeds and changes something. A missing one is a type error. */
function prepareAll(team: Team): { readonly [K in Audited]: (() => Promise<Prepared<K>>) | typeof IN_BROWSER } {
  const { owner, manager, api, database } = team;
  const picture = makePng({ width: 100, height: 100 }, [220, 30, 30], [20, 40, 200]).toString('base64');

  const add = async (): Promise<string> => (await team.add()).id;
  const deactivated = async (): Promise<string> => {
    const id = await add();
    await api.post(`/v1/members/${id}/deactivate`, { open_intros: 'keep' });
    return id;
  };
  const intro = async (): Promise<string> => (await createIntro(api)).id;
  const sentIntro = async (): Promise<string> => {
    const id = await intro();
    await database.sql`update intros set status = 'sent', sent_at = now(), recorded_at = now() where id = ${id}`;
    return id;
  };
  const endpoint = async (): Promise<string> => {
    const id = (await api.post('/v1/webhook_endpoints', HOOK)).body.id;
    // An organization may have only a few.
    await database.sql`delete from webhook_endpoints where organization_id = ${team.organization.id} and id <> ${id}`;
    return id;
  };
  const key = async (): Promise<string> => (await owner.call('POST /keys', { body: { name: 'CRM' } })).body.key.id;
  const passkeyOf = async (memberId: string): Promise<string> => {
    const id = `pk_${String(nextNumber()).padStart(26, '0')}`;
    await database.sql`delete from passkeys where member_id = ${memberId}`;
    await database.sql`insert into passkeys (organization_id, environment, id, member_id, name, credential_id, public_key, counter, transports, created_at)
       values (${team.organization.id}, 'test', ${id}, ${memberId}, 'Laptop', ${Buffer.from(id)}, 'k', 0, '{}', now())`;
    // As if it had confirmed the session.
    await database.sql`update console_sessions set second_factor_at = now() where member_id = ${memberId}`;
    return id;
  };
  const brand = async () => {
    const { logo_url: _logo, ...fields } = (await owner.call('GET /brand')).body;
    return fields;
  };
  const touchpoint = async () => {
    const body = { name: `Moment ${nextKey()}`, context: 'none', lane: null } as const;
    return (await owner.call('POST /touchpoints', { body })).body;
  };
  const renamed = async (slug: string) => {
    const { version } = (await owner.call('GET /touchpoints/{slug}', { params: { slug } })).body;
    const body = { version, name: `Renamed ${nextKey()}` };
    return (await owner.call('POST /touchpoints/{slug}', { params: { slug }, body })).body;
  };
  /** Signs in for one call, because the call ends the session. */
  const another = (): Promise<ConsoleClient> => team.signIn(team.organization.id, 'owner@acme.example');
  const person = () => {
    const email = `new${nextKey().replaceAll(':', '')}@acme.example`;
    return { first_name: 'New', last_name: 'Person', email };
  };
  const of = (id: string) => ({ params: { id } });
  const domain = () => ({ host: `d${nextNumber()}.acme.example` });
  return {
    signOut: async () => ({ by: await another() }),
    endSession: async () => {
      const { sessions } = (await (await another()).call('GET /sessions')).body;
      return of(sessions.find(({ is_this }) => is_this)?.id ?? '');
    },
    endOtherSessions: async () => {
      await another();
      return { body: {} };
    },
    addPasskey: IN_BROWSER,
    renamePasskey: async () => ({
      by: manager,
      ...of(await passkeyOf(team.managerId)),
      body: { name: 'Phone' },
    }),
    removePasskey: async () => ({ by: manager, ...of(await passkeyOf(team.managerId)) }),
    resetPasskeys: async () => {
      const id = await add();
      await passkeyOf(id);
      return of(id);
    },
    changeSecondFactor: async () => ({ body: { required: false } }),
    createKey: async () => ({ body: { name: 'CRM' } }),
    changeKey: async () => ({ ...of(await key()), body: { allowed_ips: ['203.0.113.0/24'] } }),
    revokeKey: async () => of(await key()),
    changeBrand: async () => ({ body: { ...(await brand()), name: `Acme ${nextKey()}` } }),
    uploadLogo: async () => ({ body: { version: (await brand()).version, file: picture } }),
    removeLogo: async () => {
      await owner.call('POST /brand/logo', { body: { version: (await brand()).version, file: picture } });
      return { body: { version: (await brand()).version } };
    },
    createTouchpoint: async () => ({ body: { name: `Moment ${nextKey()}`, context: 'none', lane: null } }),
    changeTouchpoint: async () => {
      const { slug, version } = await touchpoint();
      return { params: { slug }, body: { version, name: 'Renamed' } };
    },
    copyTouchpoint: async () => ({
      params: { slug: (await touchpoint()).slug },
      body: { name: `Copy ${nextKey()}` },
    }),
    switchTouchpoint: async () => ({
      params: { slug: (await touchpoint()).slug },
      body: { active: true },
    }),
    resetTouchpoint: async () => {
      const { slug, version } = await renamed('project_update');
      return { params: { slug }, body: { version } };
    },
    undoTouchpointChange: async () => {
      const { slug, version } = await renamed((await touchpoint()).slug);
      const { changes } = (await owner.call('GET /touchpoints/{slug}/history', { params: { slug } })).body;
      return { params: { slug }, body: { change: changes[0]?.id ?? '', version } };
    },
    moveTouchpoint: async () => ({ body: { slug: (await touchpoint()).slug, before: 'project_update' } }),
    changeOwnSettings: async () => ({ body: { words_per_minute: 100 + (nextNumber() % 50) } }),
    uploadOwnPhoto: async () => ({ body: { photo: picture } }),
    removeOwnPhoto: async () => {
      await owner.call('POST /home/photo', { body: { photo: picture } });
      return {};
    },
    giveLikeness: async () => ({
      body: { version: (await owner.call('GET /home/likeness')).body.text.version },
    }),
    withdrawOwnLikeness: async () => ({
      by: await team.signIn(team.organization.id, (await team.add()).email),
      body: {},
    }),
    withdrawLikeness: async () => ({ ...of(await add()), body: {} }),
    addMember: async () => ({ body: { ...person() } }),
    changeMember: async () => ({ by: manager, ...of(await add()), body: { first_name: 'Other' } }),
    uploadPhoto: async () => ({ ...of(await add()), body: { image: picture } }),
    removePhoto: async () => {
      const params = { id: await add() };
      await owner.call('POST /members/{id}/photo', { params, body: { image: picture } });
      return { params };
    },
    endMembership: async () => ({
      ...of(await add()),
      body: { to_record: 'leave', recorded: 'leave', replace_pages: false },
    }),
    confirmEmail: async () => {
      const id = await add();
      await database.sql`update members set bounced_email = lower(email), email_bounced_at = now() where id = ${id}`;
      return of(id);
    },
    replacePages: async () => of(await deactivated()),
    restorePages: async () => {
      const params = { id: await deactivated() };
      await owner.call('POST /members/{id}/replace-pages', { params });
      return { params };
    },
    importMembers: async () => {
      const text = `first_name,last_name,email\n${Object.values(person())}`;
      const { fingerprint } = (await owner.call('POST /members/import/preview', { body: { text } })).body;
      return { body: { text, fingerprint, skip_problems: false } };
    },
    changeTextLimits: async () => ({ body: { countries: ['US', 'CA'] } }),
    resumeTexts: async () => {
      await owner.call('POST /text-limits', { body: { countries: ['US'] } });
      await database.sql`update delivery_settings set texts_paused_at = now(), texts_paused_for = 'burst'
        where organization_id = ${team.organization.id}`;
      return {};
    },
    importOptOuts: async () => ({ by: manager, body: { text: phoneNumber() } }),
    reassignIntro: async () => ({ by: manager, ...of(await intro()), body: { member: await add() } }),
    handOverIntro: async () => {
      const params = { id: await intro() };
      await manager.call('POST /intros/{id}/reassign', { params, body: { member: team.managerId } });
      return { by: manager, params, body: { member: await add() } };
    },
    changeIntros: async () => ({ by: manager, body: { action: 'cancel', ids: [await intro()] } }),
    changeRetention: async () => ({ body: { rule: 'videos', days: 30 } }),
    cancelIntro: async () => of(await intro()),
    correctIntroPhone: async () => ({ ...of(await intro()), body: { phone: phoneNumber() } }),
    takeDownIntro: async () => of(await sentIntro()),
    optOutRecipient: async () => ({ body: { phone: phoneNumber(), reason: 'Dana, on the phone' } }),
    optInRecipient: async () => {
      const phone = phoneNumber();
      await api.post('/v1/recipients/opt_out', { phone });
      return { body: { phone, reason: 'Dana, on the phone' } };
    },
    eraseRecipient: async () => ({ body: { phone: '+14155550177' } }),
    createMember: async () => ({ body: person() }),
    updateMember: async () => ({ ...of(await add()), body: { first_name: 'Other' } }),
    deactivateMember: async () => ({ ...of(await add()), body: { open_intros: 'keep' } }),
    reactivateMember: async () => of(await deactivated()),
    createLinkDomain: async () => ({ body: domain() }),
    deleteLinkDomain: async () => of((await api.post('/v1/link-domains', domain())).body.id),
    createWebhookEndpoint: async () => ({ body: HOOK }),
    updateWebhookEndpoint: async () => ({ ...of(await endpoint()), body: { active: false } }),
    deleteWebhookEndpoint: async () => of(await endpoint()),
    rotateWebhookSecret: async () => of(await endpoint()),
    replayWebhooks: async () => ({ ...of(await endpoint()), body: SINCE }),
  };
}

export type Credential = 'session' | 'key';

const operationOf = (name: Audited): OperationForm =>
  name in CONSOLE_OPERATIONS ? CONSOLE_OPERATIONS[name as ConsoleId] : OPERATIONS[name as keyof typeof OPERATIONS];

/** How the operation can be used. */
export const credentialsOf = (name: Audited): readonly Credential[] => [
  ...(operationOf(name).role === undefined ? [] : (['session'] as const)),
  ...(name in OPERATIONS ? (['key'] as const) : []),
];

/** Prepares the operation, and returns its call; undefined if only a browser can make it. */
export async function prepareCall(team: Team, name: Audited, credential: Credential): Promise<Call | undefined> {
  const prepare = prepareAll(team)[name];
  if (prepare === IN_BROWSER) return undefined;
  const { by = team.owner, ...ask } = (await prepare()) as AnyAsk;
  const { method, path } = operationOf(name);
  if (credential === 'session') return () => by.call(`${method} ${path}` as ConsoleKey, ask as ConsoleAsk<ConsoleKey>);
  const url = path.replace('{id}', ask.params?.id ?? '');
  const { api } = team;
  if (method === 'POST') return () => api.post(url, ask.body);
  return () => api.raw(method, url, { headers: { 'idempotency-key': nextKey() } });
}
