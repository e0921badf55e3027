import {
  OPERATIONS as API_OPERATIONS,
  CONSOLE_OPERATIONS,
  type ConsoleKey,
  type OperationForm,
} from '@foreword/contract';
import { makePng } from '../cli/picture-maker.ts';
import type { TestDatabase } from '../harness/index.ts';
import { type ConsoleAsk, newRetryKey } from './console-client.ts';

/** One id of each kind, all of the same organization, and what else names or guards an object. */
export interface Ids {
  readonly member: string;
  readonly intro: string;
  readonly event: string;
  readonly session: string;
  readonly key: string;
  readonly webhook: string;
  readonly message: string;
  readonly request: string;
  readonly passkey: string;
  readonly domain: string;
  /** The recipient's number. */
  readonly phone: string;
  /** The version of the brand or touchpoint that is changed. */
  readonly version: number;
  /** The id of an entry in the history of a touchpoint. */
  readonly change: string;
  /** The id of a touchpoint that no other organization has. */
  readonly slug: string;
}

/** Ids that exist nowhere. */
const NONE = '00000000000000000000000000';
export const UNKNOWN_IDS: Ids = {
  member: `mem_${NONE}`,
  intro: `int_${NONE}`,
  event: `evt_${NONE}`,
  session: `ses_${NONE}`,
  key: `key_${NONE}`,
  webhook: `whe_${NONE}`,
  message: `wmg_${NONE}`,
  request: `req_${NONE}`,
  passkey: `pk_${NONE}`,
  domain: `lkd_${NONE}`,
  phone: '+14155550123',
  version: 1,
  change: 'any',
  slug: 'there_is_none',
};

const RECIPIENT = { first_name: 'Dana', phone: '+14155550123' };
const PICTURE = makePng({ width: 100, height: 100 }, [220, 30, 30], [20, 40, 200]).toString('base64');
const TEMPLATE = { page_title: 'A message', script: 'Hi.', text_message: null };
const BRAND_DRAFT = {
  name: 'Taken Over',
  accent: null,
  office_phone: null,
  license: null,
  website: null,
  timezone: 'America/Chicago',
  language: 'en',
  reply_confirm: null,
  reply_reschedule: null,
  reply_thanks: null,
  reply_question: null,
  texts_from: 480,
  texts_until: 1260,
} as const;
const PERSON = { first_name: 'Mallory', last_name: 'Vane', email: 'mallory@elsewhere.example' };
const HOOK = { url: 'http://127.0.0.1:9/hook' };

const RESPONSE = {
  ...{ id: 'AA', rawId: 'AA', type: 'public-key' as const, clientExtensionResults: {} },
  response: { clientDataJSON: 'AA' },
} as const;

/** Every operation that a session may use, by its method and path. */
export const OPERATIONS = Object.values<OperationForm>({ ...API_OPERATIONS, ...CONSOLE_OPERATIONS }).flatMap(
  ({ role, ...form }) =>
    role === undefined ? [] : [[`${form.method} ${form.path}` as ConsoleKey, { ...form, role }] as const],
);

type Calls = { readonly [K in ConsoleKey]: (of: Ids) => ConsoleAsk<K> };

const nothing = () => ({});
const member = ({ member: id }: Ids) => ({ params: { id } });
const intro = ({ intro: id }: Ids) => ({ params: { id } });
const event = ({ event: id }: Ids) => ({ params: { id } });
const webhook = ({ webhook: id }: Ids) => ({ params: { id } });
const domain = ({ domain: id }: Ids) => ({ params: { id } });
const touchpoint = ({ slug }: Ids) => ({ params: { slug } });

/** A request for each operation, which succeeds with the ids of existing objects. A missing one is a type error. */
export const CALLS: Calls = {
  'GET /session': nothing,
  'POST /session/sign-out': nothing,
  'GET /sessions': nothing,
  'DELETE /sessions/{id}': ({ session: id }) => ({ params: { id } }),
  'POST /sessions/revoke-others': () => ({ body: {} }),
  'GET /overview': () => ({ query: { days: 30 } }),
  'GET /overview/attention': nothing,
  'GET /overview/setup': nothing,
  'POST /overview/setup/dismiss': nothing,
  'GET /touchpoints': nothing,
  'POST /touchpoints': () => ({ body: { name: 'Taken over', context: 'none', lane: null } }),
  'GET /touchpoints/{slug}': touchpoint,
  'POST /touchpoints/{slug}': (of) => ({ ...touchpoint(of), body: { version: of.version, name: 'Renamed' } }),
  'POST /touchpoints/{slug}/copy': (of) => ({ ...touchpoint(of), body: { name: 'Copied out' } }),
  'POST /touchpoints/{slug}/reset': (of) => ({ ...touchpoint(of), body: { version: of.version } }),
  'GET /touchpoints/{slug}/history': touchpoint,
  'GET /touchpoints/{slug}/results': touchpoint,
  'POST /touchpoints/{slug}/undo': (of) => ({ ...touchpoint(of), body: { change: of.change, version: of.version } }),
  'POST /touchpoint-order': ({ slug }) => ({ body: { slug, before: null } }),
  'POST /touchpoint-preview': () => ({ body: TEMPLATE }),
  'POST /touchpoint-fit': () => ({ body: { script: 'Hi.' } }),
  'GET /members': nothing,
  'POST /members': () => ({ body: { ...PERSON } }),
  'GET /members/{id}': member,
  'POST /members/{id}': (of) => ({ ...member(of), body: { first_name: 'Mallory' } }),
  'POST /members/{id}/photo': (of) => ({ ...member(of), body: { image: PICTURE } }),
  'DELETE /members/{id}/photo': member,
  'POST /v1/members/{id}/deactivate': member,
  'POST /v1/members/{id}/reactivate': member,
  'POST /members/{id}/confirm-email': member,
  'POST /members/{id}/replace-pages': member,
  'POST /members/{id}/restore-pages': member,
  'GET /members/{id}/likeness': member,
  'POST /members/{id}/likeness/withdraw': (of) => ({ ...member(of), body: {} }),
  'POST /members/import/preview': () => ({ body: { text: 'first_name,last_name,email\n' } }),
  'POST /members/import': () => ({
    body: { text: 'first_name,last_name,email\n', fingerprint: 'any', skip_problems: false },
  }),
  'GET /intros': nothing,
  'GET /intro-counts': nothing,
  'GET /intros/{id}': intro,
  'POST /v1/intros/{id}/cancel': intro,
  'POST /v1/intros/{id}/correct_phone': (of) => ({ ...intro(of), body: { phone: of.phone } }),
  'POST /v1/intros/{id}/take_down': intro,
  'POST /intros/{id}/reassign': (of) => ({ ...intro(of), body: { member: of.member } }),
  'POST /intros/{id}/decline': (of) => ({ ...intro(of), body: { reason: 'away' } }),
  'GET /colleagues': nothing,
  'POST /intros/{id}/remind': intro,
  'POST /intros/{id}/send-again': intro,
  'POST /intros/{id}/settle-reply': intro,
  'POST /v1/intros/{id}/mark_sent': intro,
  'POST /v1/intros/{id}/retry_recording': intro,
  'GET /events': nothing,
  'GET /events/{id}': event,
  'POST /v1/events/{id}/retry': event,
  'GET /messages': nothing,
  'GET /keys': nothing,
  'POST /keys': () => ({ body: { name: 'Taken over' } }),
  'POST /keys/{id}': ({ key: id }) => ({ params: { id }, body: { allowed_ips: ['203.0.113.0/24'] } }),
  'POST /keys/{id}/revoke': ({ key: id }) => ({ params: { id } }),
  'GET /webhooks': nothing,
  'POST /v1/webhook_endpoints': () => ({ body: { ...HOOK } }),
  'GET /webhooks/{id}': webhook,
  'POST /v1/webhook_endpoints/{id}': (of) => ({ ...webhook(of), body: { active: false } }),
  'DELETE /v1/webhook_endpoints/{id}': webhook,
  'POST /v1/webhook_endpoints/{id}/rotate_secret': webhook,
  'POST /v1/webhook_endpoints/{id}/test': (of) => ({ ...webhook(of), body: {} }),
  'GET /v1/webhook_endpoints/{id}/attempts': webhook,
  'GET /v1/webhook_messages/{id}': ({ message: id }) => ({ params: { id } }),
  'POST /v1/webhook_endpoints/{id}/replay': (of) => ({ ...webhook(of), body: { since: '2026-01-01T00:00:00Z' } }),
  'GET /requests': nothing,
  'GET /requests/choices': nothing,
  'GET /requests/{id}': ({ request: id }) => ({ params: { id } }),
  'POST /dry-run': () => ({ body: { event: {} } }),
  'GET /brand': nothing,
  'POST /brand': ({ version }) => ({ body: { version, ...BRAND_DRAFT } }),
  'POST /brand/preview': () => ({ body: BRAND_DRAFT }),
  'POST /brand/logo': ({ version }) => ({ body: { version, file: PICTURE } }),
  'POST /brand/logo/remove': ({ version }) => ({ body: { version } }),
  'GET /home': nothing,
  'GET /home/recorded': nothing,
  'GET /home/touchpoints': nothing,
  'POST /home/intros': () => ({
    body: {
      occurred_at: '2026-11-21T12:00:00Z',
      touchpoint: 'there_is_none',
      recipient: RECIPIENT,
    },
  }),
  'GET /home/events/{id}': event,
  'POST /home/likeness': () => ({ body: { version: 'any' } }),
  'GET /home/settings': nothing,
  'POST /home/settings': () => ({ body: { words_per_minute: 111 } }),
  'GET /text-limits': nothing,
  'POST /text-limits': () => ({ body: { countries: ['US', 'CA'] } }),
  'GET /text-limits/registration': nothing,
  'POST /text-limits/resume': nothing,
  'GET /consent': ({ phone }) => ({ query: { phone } }),
  'POST /v1/recipients/opt_in': ({ phone }) => ({ body: { phone, reason: 'Dana, on the phone' } }),
  'POST /v1/recipients/opt_out': ({ phone }) => ({ body: { phone, reason: 'Dana, on the phone' } }),
  'POST /consent/import': ({ phone }) => ({ body: { text: `phone\n${phone}` } }),
  'GET /passkeys': nothing,
  'POST /passkeys/options': nothing,
  'POST /passkeys': () => ({ body: { name: 'Taken over', response: RESPONSE } }),
  'POST /passkeys/{id}': ({ passkey: id }) => ({ params: { id }, body: { name: 'Taken over' } }),
  'DELETE /passkeys/{id}': ({ passkey: id }) => ({ params: { id } }),
  'GET /second-factor': nothing,
  'POST /second-factor': () => ({ body: { required: false } }),
  'GET /members/{id}/passkeys': member,
  'DELETE /members/{id}/passkeys': member,
  'GET /activity': nothing,
  'GET /export': nothing,
  'GET /retention': nothing,
  'POST /retention': () => ({ body: { rule: 'videos', days: 30 } }),
  'POST /retention/preview': () => ({ body: { rule: 'videos', days: 7 } }),
  'GET /v1/link-domains': nothing,
  'POST /v1/link-domains': () => ({ body: { host: `${newRetryKey()}.acme.example` } }),
  'POST /v1/link-domains/{id}/check': domain,
  'DELETE /v1/link-domains/{id}': domain,
  'GET /erasures': nothing,
  'POST /erasures/preview': ({ phone }) => ({ body: { phone } }),
  'POST /v1/recipients/erase': ({ phone }) => ({ body: { phone } }),
};

const TABLES = [
  'organizations',
  'members',
  'touchpoints',
  'api_keys',
  'webhook_endpoints',
  'intros',
  'touchpoint_events',
  'message_queue',
  'messages',
  'passkeys',
];

/**
 * The organization's rows that a rejected call must not change. When a key was last used is left out: it is written up to a
 * minute later, in the middle of a test.
 */
export const readRows = (database: TestDatabase, organizationId: string) =>
  Promise.all(
    TABLES.map((table) => {
      const owner = table === 'organizations' ? 'id' : 'organization_id';
      const select = `select to_jsonb(t) - 'last_used_at' as columns from ${table} t where ${owner} = $1 order by t::text`;
      return database.query(select, [organizationId]);
    }),
  );
