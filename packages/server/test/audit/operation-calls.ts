import type { ConsoleKey } from '@foreword/contract';
import type { AUDITED_OPERATIONS } from '../../src/audit/index.ts';
import { createIntro } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import { type ConsoleAsk, type ConsoleClient, newRetryKey } from '../console/console-client.ts';
import type { Team } from '../console/team-fixture.ts';
import { nextKey } from '../harness/api.ts';

let numbers = 0;
const nextNumber = (): number => ++numbers;
const phoneNumber = (): string => `+14155550${100 + (nextNumber() % 800)}`;
const HOOK = { url: 'http://127.0.0.1:9/hook' };
const SINCE = { since: '2026-01-01T00:00:00Z' };

type Declared = typeof AUDITED_OPERATIONS;
export type Audited = { [K in keyof Declared]: Declared[K] extends string ? K : never }[keyof Declared];

type Call = () => Promise<{ readonly status: number }>;
/** An operation of the console, called by the owner unless another client is given. */
type Ask<K extends ConsoleKey> = ConsoleAsk<K> & { readonly by?: ConsoleClient };
type Prepared<K> = K extends ConsoleKey ? Ask<K> : Call;

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
  const key = async (): Promise<string> =>
    (await owner.call('POST /keys', { body: { key: newRetryKey(), name: 'CRM' } })).body.key.id;
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
    const { version } = (await owner.call('GET /touchpoints/:slug', { params: { slug } })).body;
    const body = { version, name: `Renamed ${nextKey()}` };
    return (await owner.call('POST /touchpoints/:slug', { params: { slug }, body })).body;
  };
  /** Signs in for one call, because the call ends the session. */
  const another = (): Promise<ConsoleClient> => team.signIn(team.organization.id, 'owner@acme.example');
  const person = () => {
    const email = `new${nextKey().replaceAll(':', '')}@acme.example`;
    return { first_name: 'New', last_name: 'Person', email };
  };
  const of = (id: string) => ({ params: { id } });
  const post =
    (path: string, body?: object): Call =>
    () =>
      api.post(path, body);
  const remove =
    (path: string): Call =>
    () =>
      api.raw('DELETE', path, { headers: { 'idempotency-key': nextKey() } });

  return {
    'POST /session/sign-out': async () => ({ by: await another() }),
    'DELETE /sessions/:id': async () => {
      const { sessions } = (await (await another()).call('GET /sessions')).body;
      return of(sessions.find(({ is_this }) => is_this)?.id ?? '');
    },
    'POST /sessions/revoke-others': async () => {
      await another();
      return { body: {} };
    },
    'POST /passkeys': IN_BROWSER,
    'POST /passkeys/:id': async () => ({
      by: manager,
      ...of(await passkeyOf(team.managerId)),
      body: { name: 'Phone' },
    }),
    'DELETE /passkeys/:id': async () => ({ by: manager, ...of(await passkeyOf(team.managerId)) }),
    'DELETE /members/:id/passkeys': async () => {
      const id = await add();
      await passkeyOf(id);
      return of(id);
    },
    'POST /second-factor': async () => ({ body: { required: false } }),
    'POST /keys': async () => ({ body: { key: newRetryKey(), name: 'CRM' } }),
    'POST /keys/:id': async () => ({ ...of(await key()), body: { allowed_ips: ['203.0.113.0/24'] } }),
    'POST /keys/:id/revoke': async () => of(await key()),
    'POST /link-domains': async () => ({ body: { key: newRetryKey(), host: 'one.acme.example' } }),
    'DELETE /link-domains/:id': async () =>
      of((await api.post('/v1/link-domains', { host: 'two.acme.example' })).body.id),
    'POST /webhooks': async () => ({ body: { key: newRetryKey(), ...HOOK } }),
    'POST /webhooks/:id': async () => ({ ...of(await endpoint()), body: { active: false } }),
    'DELETE /webhooks/:id': async () => of(await endpoint()),
    'POST /webhooks/:id/rotate-secret': async () => ({ ...of(await endpoint()), body: { key: newRetryKey() } }),
    'POST /webhooks/:id/replay': async () => ({ ...of(await endpoint()), body: SINCE }),
    'POST /brand': async () => ({ body: { ...(await brand()), name: `Acme ${nextKey()}` } }),
    'POST /brand/logo': async () => ({ body: { version: (await brand()).version, file: picture } }),
    'POST /brand/logo/remove': async () => {
      await owner.call('POST /brand/logo', { body: { version: (await brand()).version, file: picture } });
      return { body: { version: (await brand()).version } };
    },
    'POST /touchpoints': async () => ({ body: { name: `Moment ${nextKey()}`, context: 'none', lane: null } }),
    'POST /touchpoints/:slug': async () => {
      const { slug, version } = await touchpoint();
      return { params: { slug }, body: { version, name: 'Renamed' } };
    },
    'POST /touchpoints/:slug/copy': async () => ({
      params: { slug: (await touchpoint()).slug },
      body: { name: `Copy ${nextKey()}` },
    }),
    'POST /touchpoints/:slug/active': async () => ({
      params: { slug: (await touchpoint()).slug },
      body: { active: true },
    }),
    'POST /touchpoints/:slug/reset': async () => {
      const { slug, version } = await renamed('project_update');
      return { params: { slug }, body: { version } };
    },
    'POST /touchpoints/:slug/undo': async () => {
      const { slug, version } = await renamed((await touchpoint()).slug);
      const { changes } = (await owner.call('GET /touchpoints/:slug/history', { params: { slug } })).body;
      return { params: { slug }, body: { change: changes[0]?.id ?? '', version } };
    },
    'POST /touchpoint-order': async () => ({ body: { slug: (await touchpoint()).slug, before: 'project_update' } }),
    'POST /home/settings': async () => ({ body: { words_per_minute: 100 + (nextNumber() % 50) } }),
    'POST /home/photo': async () => ({ body: { photo: picture } }),
    'DELETE /home/photo': async () => {
      await owner.call('POST /home/photo', { body: { photo: picture } });
      return {};
    },
    'POST /home/likeness': async () => ({
      body: { version: (await owner.call('GET /home/likeness')).body.text.version },
    }),
    'POST /home/likeness/withdraw': async () => ({
      by: await team.signIn(team.organization.id, (await team.add()).email),
      body: {},
    }),
    'POST /members/:id/likeness/withdraw': async () => ({ ...of(await add()), body: {} }),
    'POST /members': async () => ({ body: { key: newRetryKey(), ...person() } }),
    'POST /members/:id': async () => ({ by: manager, ...of(await add()), body: { first_name: 'Other' } }),
    'POST /members/:id/photo': async () => ({ ...of(await add()), body: { image: picture } }),
    'DELETE /members/:id/photo': async () => {
      const params = { id: await add() };
      await owner.call('POST /members/:id/photo', { params, body: { image: picture } });
      return { params };
    },
    'POST /members/:id/deactivate': async () => ({
      ...of(await add()),
      body: { to_record: 'leave', recorded: 'leave', replace_pages: false },
    }),
    'POST /members/:id/reactivate': async () => of(await deactivated()),
    'POST /members/:id/confirm-email': async () => {
      const id = await add();
      await database.sql`update members set bounced_email = lower(email), email_bounced_at = now() where id = ${id}`;
      return of(id);
    },
    'POST /members/:id/replace-pages': async () => of(await deactivated()),
    'POST /members/:id/restore-pages': async () => {
      const params = { id: await deactivated() };
      await owner.call('POST /members/:id/replace-pages', { params });
      return { params };
    },
    'POST /members/import': async () => {
      const text = `first_name,last_name,email\n${Object.values(person())}`;
      const { fingerprint } = (await owner.call('POST /members/import/preview', { body: { text } })).body;
      return { body: { text, fingerprint, skip_problems: false } };
    },
    'POST /text-limits': async () => ({ body: { countries: ['US', 'CA'] } }),
    'POST /text-limits/resume': async () => {
      await owner.call('POST /text-limits', { body: { countries: ['US'] } });
      await database.sql`update delivery_settings set texts_paused_at = now(), texts_paused_for = 'burst'
        where organization_id = ${team.organization.id}`;
      return {};
    },
    'POST /consent/allow': async () => {
      const phone = phoneNumber();
      await database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
        values (${team.organization.id}, 'test', ${phone}, 'page', now())`;
      return { by: manager, body: { phone, asked_by: 'Dana, on the phone' } };
    },
    'POST /consent/stop': async () => ({ by: manager, body: { phone: phoneNumber(), asked_by: 'Dana, on the phone' } }),
    'POST /consent/import': async () => ({ by: manager, body: { text: phoneNumber() } }),
    'POST /intros/:id/cancel': async () => ({ by: manager, ...of(await intro()) }),
    'POST /intros/:id/take-down': async () => of(await sentIntro()),
    'POST /intros/:id/reassign': async () => ({ by: manager, ...of(await intro()), body: { member: await add() } }),
    'POST /intros/:id/hand-over': async () => {
      const params = { id: await intro() };
      await manager.call('POST /intros/:id/reassign', { params, body: { member: team.managerId } });
      return { by: manager, params, body: { member: await add() } };
    },
    'POST /intros/bulk': async () => ({ by: manager, body: { action: 'cancel', ids: [await intro()] } }),
    'POST /erasures': async () => ({ body: { key: newRetryKey(), phone: '+14155550178' } }),
    'POST /retention': async () => ({ body: { rule: 'videos', days: 30 } }),
    'POST /activity/retention': async () => ({ body: { days: 91 } }),
    cancelIntro: async () => post(`/v1/intros/${await intro()}/cancel`),
    takeDownIntro: async () => post(`/v1/intros/${await sentIntro()}/take_down`),
    optOutRecipient: async () => post('/v1/recipients/opt_out', { phone: phoneNumber() }),
    optInRecipient: async () => {
      const phone = phoneNumber();
      await api.post('/v1/recipients/opt_out', { phone });
      return post('/v1/recipients/opt_in', { phone });
    },
    eraseRecipient: async () => post('/v1/recipients/erase', { phone: '+14155550177' }),
    createMember: async () => post('/v1/members', person()),
    updateMember: async () => post(`/v1/members/${await add()}`, { first_name: 'Other' }),
    deactivateMember: async () => post(`/v1/members/${await add()}/deactivate`, { open_intros: 'keep' }),
    reactivateMember: async () => post(`/v1/members/${await deactivated()}/reactivate`),
    createLinkDomain: async () => post('/v1/link-domains', { host: 'three.acme.example' }),
    deleteLinkDomain: async () =>
      remove(`/v1/link-domains/${(await api.post('/v1/link-domains', { host: 'four.acme.example' })).body.id}`),
    createWebhookEndpoint: async () => post('/v1/webhook_endpoints', HOOK),
    updateWebhookEndpoint: async () => post(`/v1/webhook_endpoints/${await endpoint()}`, { active: false }),
    deleteWebhookEndpoint: async () => remove(`/v1/webhook_endpoints/${await endpoint()}`),
    rotateWebhookSecret: async () => post(`/v1/webhook_endpoints/${await endpoint()}/rotate_secret`),
    replayWebhooks: async () => post(`/v1/webhook_endpoints/${await endpoint()}/replay`, SINCE),
  };
}

/** Prepares the operation, and returns its call; undefined if only a browser can make it. */
export async function prepareCall(team: Team, name: Audited): Promise<Call | undefined> {
  const prepare = prepareAll(team)[name];
  if (prepare === IN_BROWSER) return undefined;
  const prepared = (await prepare()) as Call | Ask<ConsoleKey>;
  if (typeof prepared === 'function') return prepared;
  const { by = team.owner, ...ask } = prepared;
  return () => by.call(name as ConsoleKey, ask);
}
