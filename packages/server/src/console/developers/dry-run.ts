import type {
  CreateTouchpointEvent,
  DryRun,
  DryRunDelivery,
  DryRunIntro,
  DryRunMember,
  DryRunProblem,
  DryRunTouchpoint,
  Responsibility,
} from '@foreword/contract';
import type { Row, Tenant } from '../../db/tenancy.ts';
import { type DeliveryDryRun, dryRunDelivery } from '../../delivery/index.ts';
import { type DryRunDraft, dryRunEvent, type EventDryRun } from '../../intros/events/index.ts';
import { readAppointment } from '../../intros/index.ts';
import { findMember, listMembers } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { defaultTitle } from '../../pages/index.ts';
import { pick } from '../../platform/json.ts';
import { nearest } from '../../platform/nearest.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';

type Reason = Pick<DryRunProblem, 'at' | 'reason'>;

/** Deactivated or unknown: the API returns the same error for both, but the team fixes them differently. */
async function explainMissingMember(
  { db }: ConsoleDeps,
  tenant: Tenant,
  { member }: CreateTouchpointEvent,
): Promise<Reason> {
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
  touchpoints: readonly Row<'touchpoints'>[],
): Promise<DryRunProblem | null> {
  if (refusal !== null) {
    const { code, message, status, field = null } = refusal;
    const problem = { status, code, message, field, suggestions: [] as string[] };
    if (request === null) return { ...problem, at: 'body', reason: 'malformed' };
    if (code === 'touchpoint_not_found') {
      const exists = touchpoints.some(({ slug }) => slug === request.touchpoint);
      const active = touchpoints.filter((one) => one.active).map(({ slug }) => slug);
      const suggestion = exists ? undefined : nearest(request.touchpoint, active);
      return {
        ...problem,
        at: 'touchpoint',
        reason: exists ? 'turned_off' : 'unknown_slug',
        suggestions: suggestion === undefined ? [] : [suggestion],
      };
    }
    if (code === 'member_ambiguous') return { ...problem, at: 'member', reason: 'ambiguous' };
    if (code === 'member_not_found') return { ...problem, ...(await explainMissingMember(deps, tenant, request)) };
    return { ...problem, at: 'appointment', reason: 'no_appointment' };
  }
  if (failure === null) return null;
  const { code, message } = failure;
  const problem = { status: null, code, message, field: null, suggestions: [] };
  if (code === 'recipient_opted_out') return { ...problem, at: 'opt_out', reason: 'opted_out' };
  return { ...problem, at: 'script', reason: 'template' };
}

const presentTouchpoint = (row: Row<'touchpoints'>): DryRunTouchpoint =>
  pick(row, 'slug', 'name', 'context', 'delivery', 'minutes_to_record');

function presentMember({ id, first_name, last_name }: Row<'members'>, { member }: CreateTouchpointEvent): DryRunMember {
  const found_by = member.id !== undefined ? 'id' : member.external_id !== undefined ? 'external_id' : 'email';
  return { id, first_name, last_name, found_by };
}

function presentDelivery(responsibility: Responsibility, deliveryRun: DeliveryDryRun): DryRunDelivery {
  const { decision, text, hours, timezone } = deliveryRun;
  if (responsibility === 'integration')
    return { by: 'integration', recipient_opted_out: deliveryRun.isRecipientOptedOut };
  const rest = { by: 'service', text, hours } as const;
  if (decision.kind === 'send') return { ...rest, outcome: { kind: 'now' } };
  if (decision.kind === 'wait') {
    // `recording` applies only to messages to members.
    const held_for = decision.heldFor === 'recent_text' ? 'recent_text' : 'quiet_hours';
    return { ...rest, outcome: { kind: 'later', held_for, at: decision.until.toISOString(), timezone } };
  }
  return { ...rest, outcome: { kind: 'never', code: decision.code, message: decision.message } };
}

interface Found extends DryRunDraft {
  readonly touchpoint: Row<'touchpoints'>;
  readonly organization: Row<'organizations'>;
}

function presentIntro(
  { row, values, script, touchpoint, organization }: Found,
  deliveryRun: DeliveryDryRun,
): DryRunIntro {
  const appointment = row.context?.appointment ?? null;
  const deadline = row.expires_at.toISOString();
  const isAppointment = appointment?.starts_at === deadline;
  const { timezone } = organization;
  const planned = deliveryRun.reminders.length > 0 ? 'planned' : 'no_time';
  return {
    title: row.context?.title ?? defaultTitle(row.recipient_language, values.member.first_name),
    script,
    recipient_language: row.recipient_language,
    script_language: row.script_language,
    notification: { by: deliveryRun.channels, opted_out: deliveryRun.isMemberOptedOut },
    deadline: {
      at: deadline,
      timezone: appointment !== null && isAppointment ? appointment.timezone : timezone,
      rule: isAppointment ? 'appointment' : appointment === null ? 'touchpoint' : 'touchpoint_after_late_report',
    },
    reminders: {
      rule: touchpoint.reminds ? planned : 'turned_off',
      at: deliveryRun.reminders.map(({ purpose, at }) => ({
        purpose: purpose === 'remind' ? 'halfway' : 'last',
        at: at.toISOString(),
        timezone,
      })),
    },
  };
}

/** Explains what an event would do, rule by rule. */
export async function dryRun(deps: ConsoleDeps, tenant: Tenant, event: unknown): Promise<DryRun> {
  const { db, clock, testClocks } = deps;
  const [eventRun, touchpoints, organization] = await Promise.all([
    dryRunEvent(deps, tenant, event, clock()),
    listTouchpoints(db.kysely, tenant),
    findOrganization(db.kysely, tenant.organizationId),
  ]);
  const { request, touchpoint, member, intro } = eventRun;
  const problem = await explain(deps, tenant, eventRun, touchpoints);
  const appointment = request === null ? null : readAppointment(request.context?.appointment);
  const result = {
    problem,
    touchpoint: touchpoint && presentTouchpoint(touchpoint),
    appointment: appointment && {
      at: appointment.startsAt.toISOString(),
      timezone: appointment.timezone,
      is_past: appointment.startsAt <= testClocks.now(tenant),
    },
    member: member && request && presentMember(member, request),
    intro: null,
    delivery: null,
  };
  if (problem !== null) return { ...result, outcome: problem.status === null ? 'fails_later' : 'is_rejected' };
  if (intro === null || touchpoint === null || member === null || organization === null) {
    throw new Error('a dry run failed without a problem');
  }
  const deliveryRun = await dryRunDelivery(deps, tenant, { ...intro, touchpoint, member });
  return {
    ...result,
    outcome: 'creates_intro',
    intro: presentIntro({ ...intro, touchpoint, organization }, deliveryRun),
    delivery: presentDelivery(intro.row.responsibility, deliveryRun),
  };
}
