import {
  type CreateIntro,
  type CreateTouchpointEvent,
  EVENT_FAILURES,
  type EventFailureCode,
  type Intro,
  iso,
  type Language,
  SCRIPT_MAX_LENGTH,
  TITLE_MAX_LENGTH,
} from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';
import { newId } from '../platform/ids.ts';
import { renderTemplate, TemplateProblem, type TemplateValues, templatesIn } from '../touchpoints/index.ts';
import type { INSERTED_FIELDS, IntroRow } from './fields.ts';
import {
  type Appointment,
  completeReference,
  DIRECT_MINUTES_TO_RECORD,
  expiryOf,
  mayNotBeTexted,
  readAppointment,
} from './rules.ts';

/** The columns of a new intro. JSON is not serialized yet. */
export type NewIntroRow = Omit<Pick<IntroRow, (typeof INSERTED_FIELDS)[number]>, 'expires_at' | keyof Json> &
  Json & { readonly expires_at: Date };

type Json = Pick<Intro, 'reference' | 'context' | 'metadata'>;

/** Everything that creating an intro depends on, besides the request. */
export interface CreationContext {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly phone: string;
  readonly organization_name: string;
  readonly organization_language: Language;
  readonly member_id: string;
  /** Also whether the member agreed to be recorded. */
  readonly member_active: boolean;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly recipient_opted_out: boolean;
  /** The organization has opt-outs of numbers that were erased, perhaps of this one. */
  readonly has_erased_opt_outs: boolean;
  readonly has_webhooks: boolean;
  /** Null without a test clock. */
  readonly clock_offset_s: number | null;
}

/** A request to POST /v1/intros: like an event, without a touchpoint. */
export const toDirect = (found: CreationContext, request: CreateIntro) => ({
  ...found,
  event_id: null,
  request,
  touchpoint_slug: null,
  touchpoint_version: null,
  delivery: request.delivery?.responsibility ?? 'integration',
  minutes_to_record: DIRECT_MINUTES_TO_RECORD,
});

export type DirectInContext = ReturnType<typeof toDirect>;

/** An event with its touchpoint. */
export interface EventInContext
  extends CreationContext,
    Pick<
      Row<'touchpoints'>,
      'page_title' | 'script' | 'page_title_es' | 'script_es' | 'delivery' | 'minutes_to_record'
    > {
  readonly event_id: string;
  readonly request: CreateTouchpointEvent;
  readonly touchpoint_slug: string;
  readonly touchpoint_version: number;
  readonly touchpoint_active: boolean;
}

/** Why an event creates no intro. */
export interface Failure {
  readonly code: EventFailureCode;
  readonly message: string;
}

export const failure = (code: EventFailureCode, message: string = EVENT_FAILURES[code]): Failure => ({ code, message });

export const isFailure = (outcome: object): outcome is Failure => 'code' in outcome;

type Values = TemplateValues & Pick<NonNullable<Intro['context']>, 'trade' | 'lane'>;

export function valuesFor(found: EventInContext | DirectInContext): Values {
  const { recipient, context } = found.request;
  const { trade = null, lane = null } = { ...(found.event_id !== null && found.request.context) };
  return {
    recipient: { first_name: recipient.first_name, last_name: recipient.last_name ?? null },
    member: { first_name: found.member_first_name, last_name: found.member_last_name },
    organization: { name: found.organization_name },
    appointment: readAppointment(context?.appointment),
    trade,
    lane,
  };
}

const toSent = ({ startsAt, timezone }: Appointment) => ({ starts_at: iso(startsAt), timezone });

type Content = Pick<NewIntroRow, 'script' | 'script_language'> & { readonly title: string | null };

/** Renders the current templates of the touchpoint. */
export function renderContent(
  touchpoint: Parameters<typeof templatesIn>[1],
  values: TemplateValues,
  language: Language,
): Content | Failure {
  const { pageTitle, script, scriptLanguage } = templatesIn(language, touchpoint);
  try {
    return {
      title: pageTitle && renderTemplate(pageTitle, values, TITLE_MAX_LENGTH, language),
      script: renderTemplate(script, values, SCRIPT_MAX_LENGTH, scriptLanguage),
      script_language: scriptLanguage,
    };
  } catch (problem) {
    if (problem instanceof TemplateProblem) return failure('template_invalid', problem.message);
    throw problem;
  }
}

function render(event: EventInContext, values: TemplateValues, language: Language): Content | Failure {
  if (!event.touchpoint_active) return failure('touchpoint_not_found');
  if (!event.member_active) return failure('member_not_found');
  const { recipient_opted_out, delivery: responsibility } = event;
  if (mayNotBeTexted({ recipient_opted_out, responsibility })) return failure('recipient_opted_out');
  return renderContent(event, values, language);
}

/** The caller writes the script for this recipient. */
const readContent = ({ context, instructions }: CreateIntro, language: Language): Content => ({
  title: context?.title ?? null,
  script: instructions?.script?.replaceAll('\t', ' ') ?? null,
  script_language: language,
});

/** The intro to create at this time on its organization's clock, or why the event fails. */
export function decideIntro(found: DirectInContext, at: Date): NewIntroRow;
export function decideIntro(found: EventInContext, at: Date): NewIntroRow | Failure;
export function decideIntro(found: EventInContext | DirectInContext, at: Date): NewIntroRow | Failure {
  const { request, event_id } = found;
  const { recipient, reference, metadata = {} } = request;
  const language = recipient.language ?? found.organization_language;
  const values = valuesFor(found);
  const content = found.event_id === null ? readContent(found.request, language) : render(found, values, language);
  if (isFailure(content)) return content;
  const { title, ...script } = content;
  const { appointment, trade, lane } = values;
  return {
    organization_id: found.organization_id,
    environment: found.environment,
    id: newId('int', at),
    status: 'requested',
    event_id,
    touchpoint_slug: found.touchpoint_slug,
    touchpoint_version: found.touchpoint_version,
    member_id: found.member_id,
    recipient_first_name: recipient.first_name,
    recipient_last_name: recipient.last_name ?? null,
    recipient_phone: recipient.phone,
    recipient_language: language,
    reference: completeReference(reference),
    reference_id: reference?.id ?? null,
    context:
      event_id === null && request.context === undefined
        ? null
        : { title, appointment: appointment && toSent(appointment), trade, lane },
    ...script,
    instructed: event_id !== null || found.request.instructions !== undefined,
    responsibility: found.delivery,
    metadata,
    created_at: at,
    expires_at: expiryOf(at, appointment?.startsAt ?? null, found.minutes_to_record),
  };
}
