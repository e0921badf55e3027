import {
  type CreateTouchpointEvent,
  EVENT_FAILURES,
  type EventFailureCode,
  type Language,
  type Responsibility,
  SCRIPT_MAX_LENGTH,
  TITLE_MAX_LENGTH,
} from '@foreword/contract';
import { type IntroDraft, mayNotBeTexted, readAppointment } from '../intros/index.ts';
import { renderTemplate, TemplateProblem, type TemplateValues, templatesIn } from '../touchpoints/index.ts';

/** An event with everything its decision depends on, read when its row was locked. */
export interface EventInContext {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly id: string;
  readonly request: CreateTouchpointEvent;
  readonly touchpoint_slug: string;
  readonly touchpoint_version: number;
  readonly touchpoint_active: boolean;
  readonly page_title: string;
  readonly script: string;
  readonly page_title_es: string | null;
  readonly script_es: string | null;
  readonly delivery: Responsibility;
  readonly minutes_to_record: number;
  readonly member_id: string;
  readonly member_active: boolean;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly organization_name: string;
  readonly organization_language: Language;
  readonly recipient_opted_out: boolean;
  /** Null without a test clock. */
  readonly clock_offset_s: number | null;
}

export interface Failure {
  readonly code: EventFailureCode;
  readonly message: string;
}

export const failure = (code: EventFailureCode, message: string = EVENT_FAILURES[code]): Failure => ({ code, message });

export const isFailure = (decision: IntroDraft | Failure): decision is Failure => 'code' in decision;

export function valuesFor(event: EventInContext): TemplateValues {
  const { recipient, context } = event.request;
  return {
    recipient: { first_name: recipient.first_name, last_name: recipient.last_name ?? null },
    member: { first_name: event.member_first_name, last_name: event.member_last_name },
    organization: { name: event.organization_name },
    appointment: readAppointment(context?.appointment),
    trade: context?.trade ?? null,
    lane: context?.lane ?? null,
  };
}

/** The intro to create with the current state of the touchpoint, or why the event fails. */
export function decide(event: EventInContext): IntroDraft | Failure {
  if (!event.touchpoint_active) return failure('touchpoint_not_found');
  if (!event.member_active) return failure('member_not_found');
  if (mayNotBeTexted({ ...event, responsibility: event.delivery })) return failure('recipient_opted_out');
  const { request } = event;
  const language = request.recipient.language ?? event.organization_language;
  const { pageTitle, script: template, scriptLanguage } = templatesIn(language, event);
  const values = valuesFor(event);
  let title: string | null;
  let script: string;
  try {
    title = pageTitle && renderTemplate(pageTitle, values, TITLE_MAX_LENGTH, language);
    script = renderTemplate(template, values, SCRIPT_MAX_LENGTH, scriptLanguage);
  } catch (problem) {
    if (problem instanceof TemplateProblem) return failure('template_invalid', problem.message);
    throw problem;
  }
  return {
    eventId: event.id,
    touchpointSlug: event.touchpoint_slug,
    touchpointVersion: event.touchpoint_version,
    memberId: event.member_id,
    recipient: { ...request.recipient, language },
    reference: request.reference,
    context: { title, appointment: values.appointment, trade: values.trade, lane: values.lane },
    instructions: { script },
    scriptLanguage,
    responsibility: event.delivery,
    metadata: request.metadata,
    minutesToRecord: event.minutes_to_record,
  };
}
