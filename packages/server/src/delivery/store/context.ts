import type { IntroStatus, Language, Responsibility } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import { planned } from '../../db/statements.ts';
import { acrossTenants, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { type Appointment, type CreatedIntro, PRACTICE_SOURCE, readAppointment } from '../../intros/index.ts';
import type { Route } from '../carriers/carrier.ts';
import type { NumberFault } from '../carriers/codes.ts';
import type { StoredSettings } from './limits.ts';
import type { DueMessage } from './queue.ts';

/** A message of the queue, or one that may be planned. */
export type Step = Pick<
  DueMessage,
  | 'organization_id'
  | 'environment'
  | 'id'
  | 'intro_id'
  | 'audience'
  | 'purpose'
  | 'round'
  | 'resends'
  | 'channel'
  | 'planned_channel'
  | 'created_at'
>;

export interface ContextIntro {
  readonly status: IntroStatus;
  readonly link_generation: number;
  readonly link_host: string | null;
  /** Its member declined it. */
  readonly is_declined: boolean;
  readonly touchpoint_slug: string | null;
  readonly member_id: string;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_phone: string;
  readonly recipient_language: Language;
  readonly context: {
    readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
    readonly trade: string | null;
    readonly lane: string | null;
  } | null;
  readonly responsibility: Responsibility;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly taken_down_at: Date | null;
  readonly sent_at: Date | null;
  readonly opened_at: Date | null;
  readonly delivery_error_code: string | null;
  readonly likeness_withdrawn_at: Date | null;
  readonly recipient_opted_out: boolean;
  readonly is_take_processing: boolean;
  /** The video comes from the test helper. */
  readonly is_test_recording: boolean;
  readonly is_video_removed: boolean;
  /** The practice recording of a new member. */
  readonly is_practice: boolean;
}

const INTROS = planned(`
select i.*,
  exists (
    select from opt_outs
    where organization_id = k.organization_id and environment = k.environment and phone = i.recipient_phone offset 0
  ) as recipient_opted_out,
  exists (
    select from recordings
    where organization_id = k.organization_id and intro_id = i.id and status in ('uploaded', 'processing') offset 0
  ) as is_take_processing,
  coalesce(r.simulated, false) as is_test_recording,
  r.deleted_at is not null as is_video_removed,
  coalesce(i.reference ->> 'source' = '${PRACTICE_SOURCE}', false) as is_practice
from unnest($1::text[], $2::text[], $3::text[]) as k(organization_id, environment, id)
cross join lateral (
  select id, status, link_generation, link_host, coalesce(declined_generation = link_generation, false) as is_declined,
    touchpoint_slug, member_id, recipient_first_name, recipient_last_name, recipient_phone, recipient_language, context, responsibility,
    created_at, expires_at, taken_down_at, sent_at, opened_at, delivery_error_code, likeness_withdrawn_at, recording_id, reference
  from intros where organization_id = k.organization_id and environment = k.environment and id = k.id offset 0
) i
left join lateral (
  select simulated, deleted_at from recordings where organization_id = k.organization_id and id = i.recording_id offset 0
) r on true`);

export interface ContextMember
  extends Pick<
    Row<'members'>,
    'id' | 'first_name' | 'last_name' | 'email' | 'phone' | 'active' | 'notify_by' | 'language'
  > {
  /** Emails to this address bounce. */
  readonly email_bounces: boolean;
  /** The member withdrew the consent to the use of their likeness. */
  readonly is_likeness_withdrawn: boolean;
}

const MEMBERS = planned(`
select m.* from unnest($1::text[], $2::text[]) as k(organization_id, id)
cross join lateral (
  select id, first_name, last_name, email, phone, active, notify_by, language, coalesce(bounced_email = lower(email), false) as email_bounces,
    likeness_withdrawn_at is not null as is_likeness_withdrawn
  from members where organization_id = k.organization_id and id = k.id offset 0
) m`);

type Settings = Pick<
  StoredSettings,
  'texts_from' | 'texts_until' | 'twilio_account' | 'countries' | 'texts_test_recordings' | 'forwards_replies'
>;

/** An organization with its settings, which are null if it has the defaults. */
export interface ContextOrganization
  extends Pick<Row<'organizations'>, 'id' | 'name' | 'timezone' | 'language' | 'accent'>,
    Settings {}

const ORGANIZATIONS = planned(`
select o.*, s.* from unnest($1::text[], $2::text[]) as k(id, environment)
cross join lateral (select id, name, timezone, language, accent from organizations where id = k.id offset 0) o
left join lateral (
  select texts_from, texts_until, twilio_account, countries, texts_test_recordings, forwards_replies from delivery_settings
  where organization_id = k.id and environment = k.environment offset 0
) s on true`);

type ContextTouchpoint = Pick<
  Row<'touchpoints'>,
  'slug' | 'name' | 'text_message' | 'text_message_es' | 'reminds' | 'invites_to_save'
>;

const TOUCHPOINTS = planned(`
select k.organization_id, t.* from unnest($1::text[], $2::text[], $3::text[]) as k(organization_id, environment, slug)
cross join lateral (
  select slug, name, text_message, text_message_es, reminds, invites_to_save from touchpoints
  where organization_id = k.organization_id and environment = k.environment and slug = k.slug offset 0
) t`);

/**
 * Condition for texts that reached the recipient, who therefore knows how to opt out. A partial index has the same beginning.
 * Only a test number gets simulated texts; those to members on a test clock reached no one.
 */
const REACHED_RECIPIENT = `channel = 'text' and accepted_at is not null and status in ('accepted', 'delivered')
  and (carrier is distinct from 'simulated' or address like '+1500555%')`;

/** Opt-outs, faults and the last text of a number. */
interface ContextNumber {
  readonly is_opted_out: boolean;
  /** When it opted out on the page, which can be undone for a while. */
  readonly undo_since: Date | null;
  /** When it was asked whether to stop texts; null once it answered. */
  readonly asked_at: Date | null;
  readonly is_known: boolean;
  readonly flagged_as: NumberFault | null;
  readonly flagged_at: Date | null;
  /** The last message of the same touchpoint to this number. */
  readonly last_message_id: string | null;
  readonly last_text_at: Date | null;
  /** When that message is next processed, as long as its outcome is unknown. */
  readonly last_text_pending_until: Date | null;
}

const NUMBERS = planned(`
select k.organization_id, k.phone, k.touchpoint,
  opt_out.opted_out_at is not null as is_opted_out, case opt_out.source when 'page' then opt_out.opted_out_at end as undo_since,
  (
    select case kind when 'asked' then created_at end from consents
    where organization_id = k.organization_id and environment = k.environment and phone = k.phone order by id desc limit 1
  ) as asked_at,
  exists (
    select from messages
    where organization_id = k.organization_id and environment = k.environment and address = k.phone and ${REACHED_RECIPIENT} offset 0
  ) as is_known,
  flag.failure as flagged_as, flag.flagged_at,
  last.message_id as last_message_id, last.texted_at as last_text_at, last.pending_until as last_text_pending_until
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as k(organization_id, environment, phone, touchpoint)
left join lateral (
  select source, opted_out_at from opt_outs
  where organization_id = k.organization_id and environment = k.environment and phone = k.phone offset 0
) opt_out on true
left join lateral (
  select failure, flagged_at from flagged_numbers
  where organization_id = k.organization_id and environment = k.environment and phone = k.phone offset 0
) flag on true
left join lateral (
  select n.message_id, n.texted_at, (
    select due_at from message_queue where organization_id = n.organization_id and id = n.message_id offset 0
  ) as pending_until
  from texted_numbers n
  where n.organization_id = k.organization_id and n.environment = k.environment and n.phone = k.phone and n.touchpoint = k.touchpoint
    and k.touchpoint <> ''
  offset 0
) last on true`);

/** The words of a recipient's reply or of a member's answer, which the message is about. */
interface ContextWords {
  readonly label: string | null;
  readonly message: string | null;
  readonly by_text: boolean;
}

const WORDS = planned(`
select k.id, coalesce(r.label, a.label) as label, coalesce(r.message, a.message) as message, coalesce(r.by_text, false) as by_text
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) as k(organization_id, id, intro_id, purpose, number)
left join lateral (
  select label, message, by_text from intro_replies
  where k.purpose = 'reply' and organization_id = k.organization_id and intro_id = k.intro_id and number = k.number offset 0
) r on true
left join lateral (
  select null::text as label, message from intro_answers
  where k.purpose = 'answer' and organization_id = k.organization_id and intro_id = k.intro_id and number = k.number offset 0
) a on true`);

/** Everything that decides whether a message is sent, how, and what it says. */
export interface MessageContext<Message extends Step = DueMessage> {
  readonly message: Message;
  readonly intro: ContextIntro;
  readonly appointment: Appointment | null;
  readonly member: ContextMember;
  readonly organization: ContextOrganization;
  /** Null for an intro without a touchpoint. */
  readonly touchpoint: ContextTouchpoint | null;
  /** The number that a text goes to. Null for a member without one. */
  readonly phone: string | null;
  readonly number: ContextNumber;
  readonly words: ContextWords | null;
  readonly textRoute: Route;
  readonly emailRoute: Route;
}

/** Reads the rows with these keys, once each, by the key that `keyOf` gives them. */
async function readKeyed<Row>(
  db: Db,
  statement: string,
  keys: readonly (readonly (string | number)[])[],
  keyOf: (row: Row) => string,
): Promise<ReadonlyMap<string, Row>> {
  const distinct = [...new Map(keys.map((key) => [key.join(' '), key])).values()];
  const [first] = distinct;
  if (first === undefined) return new Map();
  const values = first.map((_, column) => distinct.map((key) => key[column]));
  const { rows } = await acrossTenants(db).executeQuery<Row>(CompiledQuery.raw(statement, values));
  return new Map(rows.map((row) => [keyOf(row), row]));
}

const UNKNOWN_NUMBER: ContextNumber = {
  ...{ is_opted_out: false, undo_since: null, asked_at: null, is_known: false, flagged_as: null, flagged_at: null },
  ...{ last_message_id: null, last_text_at: null, last_text_pending_until: null },
};

interface Routes {
  routeOfText(to: string, options: { readonly hasOwnAccount: boolean }): Route;
  readonly routeOfEmail: Route;
}

type NumberKey = readonly [organization: string, environment: string, phone: string, touchpoint: string];

const readNumbers = (db: Db, keys: readonly NumberKey[]) =>
  readKeyed<ContextNumber & { organization_id: string; phone: string; touchpoint: string }>(
    db,
    NUMBERS,
    keys,
    ({ organization_id, phone, touchpoint }) => `${organization_id} ${phone} ${touchpoint}`,
  );

/** The context of one number. */
export async function readNumber(
  db: Db,
  { organizationId, environment }: Tenant,
  phone: string | null,
  touchpoint: string,
): Promise<ContextNumber> {
  if (phone === null) return UNKNOWN_NUMBER;
  const found = await readNumbers(db, [[organizationId, environment, phone, touchpoint]]);
  return found.get(`${organizationId} ${phone} ${touchpoint}`) ?? UNKNOWN_NUMBER;
}

export async function readOrganization(db: Db, { organizationId, environment }: Tenant): Promise<ContextOrganization> {
  const found = await readKeyed<ContextOrganization>(
    db,
    ORGANIZATIONS,
    [[organizationId, environment]],
    ({ id }) => id,
  );
  const organization = found.get(organizationId);
  if (organization === undefined) throw new Error('the organization no longer exists');
  return organization;
}

const readIntros = (db: Db, messages: readonly Step[]): Promise<ReadonlyMap<string, ContextIntro>> =>
  readKeyed<ContextIntro & { id: string }>(
    db,
    INTROS,
    messages.map((one) => [one.organization_id, one.environment, one.intro_id]),
    ({ id }) => id,
  );

/** The context of an intro that was created in this transaction, which need not be read. */
export const toContextIntro = ({ row, isOptedOut }: CreatedIntro): ContextIntro => ({
  ...row,
  ...{ link_generation: 0, link_host: null, is_declined: false, taken_down_at: null, sent_at: null, opened_at: null },
  ...{ delivery_error_code: null, likeness_withdrawn_at: null, recipient_opted_out: isOptedOut },
  ...{ is_take_processing: false, is_test_recording: false, is_video_removed: false },
  is_practice: row.reference?.source === PRACTICE_SOURCE,
});

/**
 * The contexts of these messages, with one statement for each table. Leaves out messages whose intro does not exist. `given`: their
 * intros, which then need not be read.
 */
export async function readContexts<Message extends Step>(
  db: Db,
  carriers: Routes,
  messages: readonly Message[],
  given?: ReadonlyMap<string, ContextIntro>,
): Promise<MessageContext<Message>[]> {
  const intros = given ?? (await readIntros(db, messages));
  const about = messages.flatMap((message) => {
    const intro = intros.get(message.intro_id);
    return intro === undefined ? [] : [{ message, intro }];
  });
  const members = await readKeyed<ContextMember>(
    db,
    MEMBERS,
    about.map(({ message, intro }) => [message.organization_id, intro.member_id]),
    ({ id }) => id,
  );
  const organizations = await readKeyed<ContextOrganization>(
    db,
    ORGANIZATIONS,
    about.map(({ message }) => [message.organization_id, message.environment]),
    ({ id }) => id,
  );
  const touchpoints = await readKeyed<ContextTouchpoint & { organization_id: string }>(
    db,
    TOUCHPOINTS,
    about.flatMap(({ message, intro: { touchpoint_slug: slug } }) =>
      slug === null ? [] : [[message.organization_id, message.environment, slug]],
    ),
    ({ organization_id, slug }) => `${organization_id} ${slug}`,
  );
  const words = await readKeyed<ContextWords & { id: string }>(
    db,
    WORDS,
    messages
      .filter(({ purpose }) => purpose === 'reply' || purpose === 'answer')
      .map((one) => [one.organization_id, one.id, one.intro_id, one.purpose, one.round]),
    ({ id }) => id,
  );
  const contexts = about.flatMap(({ message, intro }) => {
    const [member, organization] = [members.get(intro.member_id), organizations.get(message.organization_id)];
    if (member === undefined || organization === undefined) return [];
    const phone = message.audience === 'member' ? member.phone : intro.recipient_phone;
    const hasOwnAccount = organization.twilio_account !== null;
    return {
      ...{ message, intro, member, organization, phone, number: UNKNOWN_NUMBER },
      appointment: readAppointment(intro.context?.appointment ?? undefined),
      touchpoint: touchpoints.get(`${message.organization_id} ${intro.touchpoint_slug}`) ?? null,
      words: words.get(message.id) ?? null,
      textRoute: phone === null ? ('none' as const) : carriers.routeOfText(phone, { hasOwnAccount }),
      emailRoute: carriers.routeOfEmail,
    };
  });
  const touchpointOf = ({ message, intro }: MessageContext<Message>) =>
    message.audience === 'recipient' ? (intro.touchpoint_slug ?? '') : '';
  const numbers = await readNumbers(
    db,
    contexts.flatMap((context): NumberKey[] => {
      const { message, phone } = context;
      return phone === null ? [] : [[message.organization_id, message.environment, phone, touchpointOf(context)]];
    }),
  );
  return contexts.map((context) => {
    const { message, phone } = context;
    const number = numbers.get(`${message.organization_id} ${phone} ${touchpointOf(context)}`) ?? UNKNOWN_NUMBER;
    // Its own earlier attempt does not delay a message.
    const isOwn = number.last_message_id === message.id;
    return { ...context, number: isOwn ? { ...number, last_text_at: null, last_text_pending_until: null } : number };
  });
}

/** Concurrent calls for the same intro run one after the other. */
export async function lockIntro(tx: Tx, tenant: Tenant, introId: string): Promise<void> {
  await sql`select from intros where ${forTenant(tx, tenant).owns()} and id = ${introId} for update`.execute(tx);
}
