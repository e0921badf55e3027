import type { CreateIntro, Language } from '@foreword/contract';
import { newId } from '../platform/ids.ts';
import { parseZonedTime } from '../platform/instants.ts';
import type { Tenant } from '../tables.ts';
import { type Appointment, DIRECT_MINUTES_TO_RECORD, expiryOf, type IntroDraft } from './rules.ts';
import type { NewIntroRow } from './store/creation.ts';

export function readAppointment(sent: { starts_at: string; timezone: string } | undefined): Appointment | null {
  if (sent === undefined) return null;
  const startsAt = parseZonedTime(sent.starts_at, sent.timezone);
  if (startsAt === null) throw new Error('an appointment without a valid time passed validation');
  return { startsAt, timezone: sent.timezone };
}

/** Advice for a caller who reports an appointment late. */
export function appointmentHint(sent: Parameters<typeof readAppointment>[0], now: Date): string | undefined {
  const appointment = readAppointment(sent);
  return appointment !== null && appointment.startsAt <= now
    ? 'The appointment had already started. If Foreword delivers the intro, it is not texted automatically: the member or the team can send it anyway.'
    : undefined;
}

/** Fills in omitted fields with null; null if there is no reference. */
export function completeReference(sent: CreateIntro['reference'] | undefined) {
  if (sent === undefined) return null;
  return { source: sent.source ?? null, type: sent.type ?? null, id: sent.id ?? null };
}

interface RequestContext {
  readonly memberId: string;
  readonly organizationLanguage: Language;
}

export function draftFromRequest(body: CreateIntro, { memberId, organizationLanguage }: RequestContext): IntroDraft {
  const { context, instructions } = body;
  const language = body.recipient.language ?? organizationLanguage;
  return {
    eventId: null,
    touchpointSlug: null,
    touchpointVersion: null,
    memberId,
    recipient: { ...body.recipient, language },
    reference: body.reference,
    context:
      context === undefined
        ? null
        : { title: context.title ?? null, appointment: readAppointment(context.appointment), trade: null, lane: null },
    // The caller writes the script for this recipient.
    instructions: instructions === undefined ? null : { script: instructions.script?.replaceAll('\t', ' ') ?? null },
    scriptLanguage: language,
    responsibility: body.delivery?.responsibility ?? 'integration',
    metadata: body.metadata,
    minutesToRecord: DIRECT_MINUTES_TO_RECORD,
  };
}

export function toRow(tenant: Tenant, draft: IntroDraft, now: Date): NewIntroRow {
  const { context, recipient } = draft;
  const appointment = context?.appointment ?? null;
  return {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('int', now),
    status: 'requested',
    event_id: draft.eventId,
    touchpoint_slug: draft.touchpointSlug,
    touchpoint_version: draft.touchpointVersion,
    member_id: draft.memberId,
    recipient_first_name: recipient.first_name,
    recipient_last_name: recipient.last_name ?? null,
    recipient_phone: recipient.phone,
    recipient_language: recipient.language,
    reference: completeReference(draft.reference),
    reference_id: draft.reference?.id ?? null,
    context: context && {
      title: context.title,
      appointment: appointment && {
        starts_at: appointment.startsAt.toISOString(),
        timezone: appointment.timezone,
      },
      trade: context.trade,
      lane: context.lane,
    },
    script: draft.instructions?.script ?? null,
    script_language: draft.scriptLanguage,
    instructed: draft.instructions !== null,
    responsibility: draft.responsibility,
    metadata: draft.metadata ?? {},
    created_at: now,
    expires_at: expiryOf(now, appointment?.startsAt ?? null, draft.minutesToRecord),
  };
}
