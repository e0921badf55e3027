import { DELIVERY_FAILURES } from '@foreword/contract';
import { sql, type Transaction } from 'kysely';
import { MESSAGES_DUE, readAppointment } from '../../intros/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { insertMessages, type MessageRow } from '../store/messages.ts';
import { DEFAULT_HOURS, judgeForMember, judgeForRecipient, REMINDED_AGAIN_MS, type Verdict } from './rules.ts';

/** When something would go that a person asks for. */
export interface Dated {
  /** Not before this. */
  readonly dueAt: Date;
  readonly heldFor: 'quiet_hours' | 'recent_text' | null;
}

export interface Promised extends Dated {
  readonly messageId: string;
}

const MINUTE_MS = 60_000;

/** The intro with all that decides whether a word about it may go. */
const findIntro = (db: Queryable<Tables>, tenant: Tenant, introId: string) =>
  db
    .selectFrom('intros as i')
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .leftJoin('delivery_settings as s', (on) =>
      on.onRef('s.organization_id', '=', 'i.organization_id').onRef('s.environment', '=', 'i.environment'),
    )
    .select(['i.id', 'i.status', 'i.expires_at', 'i.created_at', 'i.responsibility', 'i.link_generation', 'i.context'])
    .select(['i.touchpoint_slug', 'i.recipient_phone', 'o.timezone', 'm.active', 's.texts_from', 's.texts_until'])
    .select(({ exists, selectFrom }) => [
      exists(
        selectFrom('opt_outs as x')
          .select('x.phone')
          .whereRef('x.organization_id', '=', 'i.organization_id')
          .whereRef('x.environment', '=', 'i.environment')
          .whereRef('x.phone', '=', 'i.recipient_phone'),
      )
        .$castTo<boolean>()
        .as('is_opted_out'),
      exists(
        selectFrom('recordings as r')
          .select('r.id')
          .whereRef('r.organization_id', '=', 'i.organization_id')
          .whereRef('r.intro_id', '=', 'i.id')
          .where('r.status', 'in', ['uploaded', 'processing']),
      )
        .$castTo<boolean>()
        .as('has_take_under_way'),
    ])
    .select(({ selectFrom }) =>
      selectFrom('texted_numbers as n')
        .select('n.texted_at')
        .whereRef('n.organization_id', '=', 'i.organization_id')
        .whereRef('n.environment', '=', 'i.environment')
        .whereRef('n.phone', '=', 'i.recipient_phone')
        .whereRef('n.touchpoint', '=', 'i.touchpoint_slug')
        .as('last_text_at'),
    )
    .where('i.organization_id', '=', tenant.organizationId)
    .where('i.environment', '=', tenant.environment)
    .where('i.id', '=', introId);

type Intro = NonNullable<Awaited<ReturnType<ReturnType<typeof findIntro>['executeTakeFirst']>>>;

interface Facts {
  readonly intro: Intro;
  readonly messages: readonly MessageRow[];
}

/** Held: a second press of a button waits here, and then finds what the first one did. */
async function readFacts(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
  { isHeld }: { isHeld: boolean },
): Promise<Facts> {
  const query = findIntro(db, tenant, introId);
  const intro = ID_PATTERN.test(introId) ? await (isHeld ? query.forUpdate('i') : query).executeTakeFirst() : undefined;
  if (intro === undefined) {
    throw new ApiError('not_found', 'No intro with this id in this organization and environment.');
  }
  const messages = await db
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('intro_id', '=', introId)
    .execute();
  return { intro, messages };
}

const hoursOf = ({ texts_from, texts_until }: Intro) =>
  texts_from === null || texts_until === null ? DEFAULT_HOURS : { from: texts_from, until: texts_until };

/** When it would go, or what stands against it. */
function dateOf(verdict: Verdict, now: Date): Dated | ApiError {
  switch (verdict.kind) {
    case 'send':
      return { dueAt: now, heldFor: null };
    case 'wait':
      return verdict.heldFor === 'recording'
        ? new ApiError('intro_recorded', 'A video of this intro has just arrived. Wait until it is processed.')
        : { dueAt: verdict.until, heldFor: verdict.heldFor };
    case 'fail':
      return new ApiError('delivery_refused', DELIVERY_FAILURES[verdict.code]);
    default:
      return new ApiError('delivery_refused', verdict.message);
  }
}

const CLOSED: Readonly<Record<string, string>> = {
  cancelled: 'This intro was cancelled.',
  expired: 'This intro has expired.',
};

function explainStatus({ status }: Intro, wanted: readonly string[]): ApiError | null {
  if (wanted.includes(status)) return null;
  const closed = CLOSED[status];
  if (closed !== undefined) return new ApiError('intro_closed', closed);
  return status === 'requested'
    ? new ApiError('intro_not_ready', 'The video is not recorded yet.')
    : new ApiError('intro_recorded', 'The video of this intro is recorded already.');
}

const lastOf = (messages: readonly MessageRow[]): Date | null =>
  messages.reduce<Date | null>(
    (last, { accepted_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );

function judgeReminder({ intro, messages }: Facts, now: Date): Dated | ApiError {
  const refusal = explainStatus(intro, ['requested']);
  if (refusal !== null) return refusal;
  const told = messages.filter(({ audience }) => audience === 'member');
  const isOnItsWay = told.some(
    ({ status, purpose, due_at }) =>
      status === 'sending' || (status === 'scheduled' && (purpose === 'remind_by_hand' || due_at <= now)),
  );
  if (isOnItsWay) return new ApiError('too_soon', 'A message to the member is on its way already.');
  const last = lastOf(
    told.filter(({ purpose, round }) => purpose === 'remind_by_hand' || round === intro.link_generation),
  );
  const freeMs = (last?.getTime() ?? 0) + REMINDED_AGAIN_MS;
  if (freeMs > now.getTime()) {
    const minutes = Math.ceil((freeMs - now.getTime()) / MINUTE_MS);
    const message = `The member was told less than an hour ago. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
    return new ApiError('too_soon', message);
  }
  const verdict = judgeForMember(
    {
      intro: { status: intro.status, expiresAt: intro.expires_at },
      isReminder: true,
      isForOther: false,
      isActive: intro.active,
      hasTakeUnderWay: intro.has_take_under_way,
      timezone: intro.timezone,
      hours: hoursOf(intro),
    },
    now,
  );
  return dateOf(verdict, now);
}

function judgeSendingAgain({ intro, messages }: Facts, now: Date): Dated | ApiError {
  if (intro.responsibility !== 'service') {
    return new ApiError('delivery_refused', 'Your own system delivers this intro. Copy its link to send it yourself.');
  }
  const refusal = explainStatus(intro, ['ready', 'sent']);
  if (refusal !== null) return refusal;
  const texts = messages.filter(({ audience }) => audience === 'recipient');
  if (texts.some(({ status }) => status === 'scheduled' || status === 'sending')) {
    return new ApiError('too_soon', 'The text is on its way already, or waits for its time.');
  }
  // Texts of intros without a touchpoint are counted for no number, so their own are looked at as well.
  const times = [lastOf(texts), intro.last_text_at].filter((at) => at !== null);
  const lastTextAt = times.length === 0 ? null : new Date(Math.max(...times.map((at) => at.getTime())));
  // Written in the shape of the contract.
  const context = intro.context as { appointment: { starts_at: string; timezone: string } | null } | null;
  const appointment = readAppointment(context?.appointment ?? undefined);
  const verdict = judgeForRecipient(
    {
      intro: { status: intro.status, expiresAt: intro.expires_at, createdAt: intro.created_at },
      isAgain: true,
      appointment,
      timezone: appointment?.timezone ?? intro.timezone,
      hours: hoursOf(intro),
      isOptedOut: intro.is_opted_out,
      lastTextAt,
      lastTextOpenUntil: null,
    },
    now,
  );
  return dateOf(verdict, now);
}

type Wish = { readonly audience: 'member' | 'recipient'; readonly purpose: 'remind_by_hand' | 'deliver' };

const REMINDER: Wish = { audience: 'member', purpose: 'remind_by_hand' };
const TEXT: Wish = { audience: 'recipient', purpose: 'deliver' };

function ask(wish: Wish, judge: (facts: Facts, now: Date) => Dated | ApiError) {
  const { audience, purpose } = wish;
  return async (tx: Transaction<Tables>, tenant: Tenant, introId: string, now: Date): Promise<Promised> => {
    const facts = await readFacts(tx, tenant, introId, { isHeld: true });
    const dated = judge(facts, now);
    if (dated instanceof ApiError) throw dated;
    const rounds = facts.messages.filter((message) => message.purpose === purpose).map(({ round }) => round);
    const id = newId('msg', now);
    const message = {
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id,
      intro_id: introId,
      audience,
      purpose,
      channel: audience === 'recipient' ? ('text' as const) : null,
      round: Math.max(0, ...rounds) + 1,
      // By it a STOP finds what waits.
      ...(audience === 'recipient' && { address: facts.intro.recipient_phone }),
      due_at: dated.dueAt,
      created_at: now,
    };
    await insertMessages(tx, [message]);
    await sql`select pg_notify(${MESSAGES_DUE}, '')`.execute(tx);
    return { ...dated, messageId: id };
  };
}

/** A word to the member who is to record, now or in the morning; not within an hour of the last one. */
export const remindByHand = ask(REMINDER, judgeReminder);

/** The text to the recipient once more, by all the rules that the first one had. */
export const sendAgain = ask(TEXT, judgeSendingAgain);

/** What stands against them now; null: nothing does. */
export async function judgeByHand(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<{ remind: ApiError | null; sendAgain: ApiError | null }> {
  const facts = await readFacts(db, tenant, introId, { isHeld: false });
  const refusalOf = (dated: Dated | ApiError) => (dated instanceof ApiError ? dated : null);
  return {
    remind: refusalOf(judgeReminder(facts, now)),
    sendAgain: refusalOf(judgeSendingAgain(facts, now)),
  };
}
