import {
  type CreateIntro,
  type CreateTouchpointEvent,
  EVENT_FAILURES,
  type EventFailureCode,
  type Intro,
  type Language,
  SCRIPT_MAX_LENGTH,
  TITLE_MAX_LENGTH,
} from '@foreword/contract';
import { newId } from '../platform/ids.ts';
import type { TouchpointRow } from '../tables.ts';
import { renderTemplate, TemplateProblem, type TemplateValues, templatesIn } from '../touchpoints/index.ts';
import { completeReference, DIRECT_MINUTES_TO_RECORD, expiryOf, mayNotBeTexted, readAppointment } from './rules.ts';
import type { IntroRow, NEW_INTRO_COLUMNS } from './store.ts';

/** The columns of a new intro. JSON is not serialized yet. */
export type NewIntroRow = Omit<Pick<IntroRow, keyof typeof NEW_INTRO_COLUMNS>, 'expires_at' | keyof Json> &
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

/** A request to POST /v1/intros. */
export interface DirectInContext extends CreationContext {
  readonly event_id: null;
  readonly request: CreateIntro;
}

/** An event with its touchpoint. */
export interface EventInContext
  extends CreationContext,
    Pick<TouchpointRow, 'page_title' | 'script' | 'page_title_es' | 'script_es' | 'delivery' | 'minutes_to_record'> {
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

/** The columns whose source differs. */
type Content = Pick<
  NewIntroRow,
  'touchpoint_slug' | 'touchpoint_version' | 'script' | 'script_language' | 'instructed' | 'responsibility'
> & { readonly title: string | null; readonly hasContext: boolean; readonly minutesToRecord: number };

/** The caller writes the script for this recipient. */
const readContent = ({ context, instructions, delivery }: CreateIntro, language: Language): Content => ({
  touchpoint_slug: null,
  touchpoint_version: null,
  title: context?.title ?? null,
  hasContext: context !== undefined,
  script: instructions?.script?.replaceAll('\t', ' ') ?? null,
  script_language: language,
  instructed: instructions !== undefined,
  responsibility: delivery?.responsibility ?? 'integration',
  minutesToRecord: DIRECT_MINUTES_TO_RECORD,
});

/** With the current state of the touchpoint. */
function renderContent(event: EventInContext, values: TemplateValues, language: Language): Content | Failure {
  if (!event.touchpoint_active) return failure('touchpoint_not_found');
  if (!event.member_active) return failure('member_not_found');
  if (mayNotBeTexted({ ...event, responsibility: event.delivery })) return failure('recipient_opted_out');
  const { pageTitle, script, scriptLanguage } = templatesIn(language, event);
  try {
    return {
      touchpoint_slug: event.touchpoint_slug,
      touchpoint_version: event.touchpoint_version,
      title: pageTitle && renderTemplate(pageTitle, values, TITLE_MAX_LENGTH, language),
      hasContext: true,
      script: renderTemplate(script, values, SCRIPT_MAX_LENGTH, scriptLanguage),
      script_language: scriptLanguage,
      instructed: true,
      responsibility: event.delivery,
      minutesToRecord: event.minutes_to_record,
    };
  } catch (problem) {
    if (problem instanceof TemplateProblem) return failure('template_invalid', problem.message);
    throw problem;
  }
}

/** The intro to create at this time on its organization's clock, or why the event fails. */
export function decideIntro(found: DirectInContext, at: Date): NewIntroRow;
export function decideIntro(found: EventInContext, at: Date): NewIntroRow | Failure;
export function decideIntro(found: EventInContext | DirectInContext, at: Date): NewIntroRow | Failure {
  const { recipient, reference, metadata = {} } = found.request;
  const language = recipient.language ?? found.organization_language;
  const values = valuesFor(found);
  const content =
    found.event_id === null ? readContent(found.request, language) : renderContent(found, values, language);
  if (isFailure(content)) return content;
  const { title, hasContext, minutesToRecord, ...columns } = content;
  const { appointment, trade, lane } = values;
  return {
    organization_id: found.organization_id,
    environment: found.environment,
    id: newId('int', at),
    status: 'requested',
    event_id: found.event_id,
    member_id: found.member_id,
    recipient_first_name: recipient.first_name,
    recipient_last_name: recipient.last_name ?? null,
    recipient_phone: recipient.phone,
    recipient_language: language,
    reference: completeReference(reference),
    reference_id: reference?.id ?? null,
    context: hasContext
      ? {
          title,
          appointment: appointment && {
            starts_at: appointment.startsAt.toISOString(),
            timezone: appointment.timezone,
          },
          trade,
          lane,
        }
      : null,
    metadata,
    created_at: at,
    expires_at: expiryOf(at, appointment?.startsAt ?? null, minutesToRecord),
    ...columns,
  };
}
