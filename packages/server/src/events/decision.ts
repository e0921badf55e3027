import {
  type CreateTouchpointEvent,
  EVENT_FAILURES,
  type EventFailureCode,
  type Responsibility,
  SCRIPT_MAX_LENGTH,
  TITLE_MAX_LENGTH,
} from '@foreword/contract';
import { type IntroDraft, readAppointment } from '../intros/index.ts';
import { renderTemplate, TemplateProblem, type TemplateValues } from '../touchpoints/index.ts';

/** An event with everything its decision depends on, read when its row was locked. */
export interface EventInContext {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly id: string;
  readonly request: CreateTouchpointEvent;
  readonly touchpoint_slug: string;
  readonly touchpoint_active: boolean;
  readonly page_title: string;
  readonly script: string;
  readonly delivery: Responsibility;
  readonly days_to_record: number;
  readonly member_id: string;
  readonly member_active: boolean;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly organization_name: string;
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
  if (event.delivery === 'service' && event.recipient_opted_out) return failure('recipient_opted_out');
  const values = valuesFor(event);
  let title: string;
  let script: string;
  try {
    title = renderTemplate(event.page_title, values, TITLE_MAX_LENGTH);
    script = renderTemplate(event.script, values, SCRIPT_MAX_LENGTH);
  } catch (problem) {
    if (problem instanceof TemplateProblem) return failure('template_invalid', problem.message);
    throw problem;
  }
  const { request } = event;
  return {
    eventId: event.id,
    touchpointSlug: event.touchpoint_slug,
    memberId: event.member_id,
    recipient: request.recipient,
    reference: request.reference,
    context: { title, appointment: values.appointment, trade: values.trade, lane: values.lane },
    instructions: { script },
    responsibility: event.delivery,
    metadata: request.metadata,
    daysToRecord: event.days_to_record,
  };
}
