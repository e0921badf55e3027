import type {
  CreateTouchpointEvent,
  DryRun,
  DryRunDelivery,
  DryRunIntro,
  DryRunMember,
  DryRunProblem,
  DryRunTouchpoint,
} from '@foreword/contract';
import { type DeliveryRehearsal, rehearseDelivery } from '../../delivery/index.ts';
import { dryRunEvent, type EventDryRun } from '../../events/index.ts';
import { expiryOf, type IntroDraft, readAppointment } from '../../intros/index.ts';
import { findMember, listMembers } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { MemberRow, OrganizationRow, Tenant, TouchpointRow } from '../../tables.ts';
import { countWords, listTouchpoints, nearest, secondsToSay, USUAL_WORDS_PER_MINUTE } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

type Because = Pick<DryRunProblem, 'at' | 'reason'>;

/** Deactivated, or never there: the API says the same of both, the team can mend them differently. */
async function whyNobody({ db }: ConsoleDeps, tenant: Tenant, { member }: CreateTouchpointEvent): Promise<Because> {
  const { id, external_id, email } = member;
  const known =
    id === undefined
      ? (
          await listMembers(db, tenant, {
            limit: 1,
            active: false,
            ...(email && { email }),
            ...(external_id && { external_id }),
          })
        ).data.length > 0
      : (await findMember(db.kysely, tenant, id)) !== null;
  return { at: 'member', reason: known ? 'deactivated' : 'not_found' };
}

async function explain(
  deps: ConsoleDeps,
  tenant: Tenant,
  { request, refusal, failure }: EventDryRun,
  touchpoints: readonly TouchpointRow[],
): Promise<DryRunProblem | null> {
  if (refusal !== null) {
    const { code, message, status, field = null } = refusal;
    const problem = { status, code, message, field, suggestions: [] as string[] };
    if (request === null) return { ...problem, at: 'body', reason: 'malformed' };
    if (code === 'touchpoint_not_found') {
      const isThere = touchpoints.some(({ slug }) => slug === request.touchpoint);
      const active = touchpoints.filter((one) => one.active).map(({ slug }) => slug);
      const meant = isThere ? undefined : nearest(request.touchpoint, active);
      return {
        ...problem,
        at: 'touchpoint',
        reason: isThere ? 'turned_off' : 'unknown_slug',
        suggestions: meant === undefined ? [] : [meant],
      };
    }
    if (code === 'member_ambiguous') return { ...problem, at: 'member', reason: 'ambiguous' };
    if (code === 'member_not_found') return { ...problem, ...(await whyNobody(deps, tenant, request)) };
    return { ...problem, at: 'appointment', reason: 'no_appointment' };
  }
  if (failure === null) return null;
  const { code, message } = failure;
  const problem = { status: null, code, message, field: null, suggestions: [] };
  if (code === 'recipient_opted_out') return { ...problem, at: 'opt_out', reason: 'opted_out' };
  return { ...problem, at: 'script', reason: 'template' };
}

const presentTouchpoint = (row: TouchpointRow): DryRunTouchpoint => ({
  slug: row.slug,
  name: row.name,
  context: row.context,
  delivery: row.delivery,
  days_to_record: row.days_to_record,
});

function presentMember({ id, first_name, last_name }: MemberRow, { member }: CreateTouchpointEvent): DryRunMember {
  const found_by = member.id !== undefined ? 'id' : member.external_id !== undefined ? 'external_id' : 'email';
  return { id, first_name, last_name, found_by };
}

function presentDelivery(responsibility: 'integration' | 'service', would: DeliveryRehearsal): DryRunDelivery {
  const { verdict, text, hours, timezone } = would;
  if (responsibility === 'integration') return { by: 'integration', recipient_opted_out: would.isRecipientOptedOut };
  const rest = { by: 'service', text, hours: { ...hours, timezone } } as const;
  if (verdict.kind === 'send') return { ...rest, outcome: { kind: 'now' } };
  if (verdict.kind === 'wait') {
    // What waits for a take is told to members alone.
    const held_for = verdict.heldFor === 'recent_text' ? 'recent_text' : 'quiet_hours';
    return { ...rest, outcome: { kind: 'later', held_for, at: verdict.until.toISOString(), timezone } };
  }
  return { ...rest, outcome: { kind: 'never', code: verdict.code, message: verdict.message } };
}

interface Found {
  readonly draft: IntroDraft;
  readonly touchpoint: TouchpointRow;
  readonly member: MemberRow;
  readonly organization: OrganizationRow;
  readonly deadline: Date;
}

function presentMade(
  { draft, touchpoint, member, organization, deadline }: Found,
  would: DeliveryRehearsal,
): DryRunIntro {
  const appointment = draft.context?.appointment ?? null;
  const isAppointment = appointment?.startsAt.getTime() === deadline.getTime();
  const { timezone } = organization;
  const text = draft.instructions?.script ?? '';
  const words = countWords(text);
  const planned = would.reminders.length > 0 ? 'planned' : 'no_time';
  return {
    title: draft.context?.title ?? '',
    script: { text, words, seconds: secondsToSay(words, member.words_per_minute ?? USUAL_WORDS_PER_MINUTE) },
    notification: { by: would.askBy, opted_out: would.isMemberOptedOut },
    deadline: {
      at: deadline.toISOString(),
      timezone: appointment !== null && isAppointment ? appointment.timezone : timezone,
      rule: isAppointment ? 'appointment' : appointment === null ? 'days' : 'days_after_late_report',
    },
    reminders: {
      rule: touchpoint.reminds ? planned : 'turned_off',
      at: would.reminders.map(({ purpose, at }) => ({
        purpose: purpose === 'remind' ? 'halfway' : 'last',
        at: at.toISOString(),
        timezone,
      })),
    },
  };
}

async function dryRun(deps: ConsoleDeps, tenant: Tenant, event: unknown): Promise<DryRun> {
  const { db, clock } = deps;
  const now = clock();
  const [rehearsal, touchpoints, organization] = await Promise.all([
    dryRunEvent(db, tenant, event),
    listTouchpoints(db.kysely, tenant),
    findOrganization(db.kysely, tenant.organizationId),
  ]);
  const { request, touchpointId, memberId, draft, values } = rehearsal;
  const touchpoint = touchpoints.find(({ id }) => id === touchpointId) ?? null;
  const member = memberId === null ? null : await findMember(db.kysely, tenant, memberId);
  const problem = await explain(deps, tenant, rehearsal, touchpoints);
  const appointment = request === null ? null : readAppointment(request.context?.appointment);
  const result = {
    problem,
    touchpoint: touchpoint && presentTouchpoint(touchpoint),
    appointment: appointment && {
      at: appointment.startsAt.toISOString(),
      timezone: appointment.timezone,
      is_past: appointment.startsAt <= now,
    },
    member: member && request && presentMember(member, request),
    intro: null,
    delivery: null,
  };
  if (problem !== null) return { ...result, outcome: problem.status === null ? 'fails_later' : 'is_rejected' };
  if (draft === null || values === null || touchpoint === null || member === null || organization === null) {
    throw new Error('a dry run came to nothing and did not say why');
  }
  const deadline = expiryOf(now, draft.context?.appointment?.startsAt ?? null, draft.daysToRecord);
  const would = await rehearseDelivery(
    deps,
    tenant,
    { draft, values, touchpoint, member, organization, deadline },
    now,
  );
  return {
    ...result,
    outcome: 'creates_intro',
    intro: presentMade({ draft, touchpoint, member, organization, deadline }, would),
    delivery: presentDelivery(draft.responsibility, would),
  };
}

export function createDryRunHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, 'POST /dry-run'> {
  return { 'POST /dry-run': ({ user: { tenant }, body: { event } }) => dryRun(deps, tenant, event) };
}
