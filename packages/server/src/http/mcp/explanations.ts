import {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_DELAYS,
  DELIVERY_FAILURE_ACTIONS,
  DELIVERY_FAILURES,
  EVENT_FAILURE_ACTIONS,
  type Intro,
  RECORDING_FAILURE_ACTIONS,
  RECORDING_FAILURES,
  type TimelineStep,
  type TimelineStepType,
  type TouchpointEvent,
  WEBHOOK_DISABLED_ACTIONS,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '@foreword/contract';

interface ProblemView {
  readonly at: string | null;
  readonly code: string;
  readonly message: string;
  readonly next_step: string;
}

export interface ExplanationView {
  readonly object: 'explanation';
  readonly id: string;
  readonly status: string;
  readonly summary: string;
  readonly problems: readonly ProblemView[];
  readonly next_step: string;
  readonly intro: string | null;
}

const NOTHING = 'Nothing.';
/** For a code that this version does not know: nodes of a newer version may have written it. */
const UNKNOWN = 'Look up the code in the page about errors.';
const MEMBER_NOT_NOTIFIED =
  'Ask the member directly to record, correct their contact details, or reassign the intro in the console.';

const lookUp = (table: object, code: string, fallback = UNKNOWN): string =>
  (Object.hasOwn(table, code) && (table as Record<string, string>)[code]) || fallback;

const lastStep = (problems: readonly ProblemView[]): string => problems.at(-1)?.next_step ?? NOTHING;

/** `created`: the explanation of the intro that the event created, if the key may read it. */
export function explainEvent(event: TouchpointEvent, created: ExplanationView | null): ExplanationView {
  const { id, status, intro, error } = event;
  const common = { object: 'explanation', id, status, intro } as const;
  if (status === 'failed' && error !== undefined) {
    const next_step = lookUp(EVENT_FAILURE_ACTIONS, error.code);
    const problems = [{ at: null, ...error, next_step }];
    return { ...common, summary: `The event failed: ${error.message}`, problems, next_step };
  }
  if (intro === null) {
    const summary = 'The event is stored and waits to be processed, which takes seconds.';
    return { ...common, summary, problems: [], next_step: 'Retrieve the event again, with `wait`.' };
  }
  const summary = `The event was processed and created the intro ${intro}. ${created?.summary ?? ''}`.trim();
  return { ...common, summary, problems: created?.problems ?? [], next_step: created?.next_step ?? NOTHING };
}

const FAILED_STEPS: Partial<Record<TimelineStepType, (code: string) => Pick<ProblemView, 'message' | 'next_step'>>> = {
  recording_refused: (code) => ({
    message: `A take was rejected. ${lookUp(RECORDING_FAILURES, code, '')}`.trim(),
    next_step: lookUp(RECORDING_FAILURE_ACTIONS, code),
  }),
  member_not_told: (code) => ({
    message: `The member was not notified. ${lookUp(DELIVERY_FAILURES, code, '')}`.trim(),
    next_step: MEMBER_NOT_NOTIFIED,
  }),
  not_sent: (code) => ({
    message: lookUp(DELIVERY_FAILURES, code, 'The text was not sent.'),
    next_step: lookUp(DELIVERY_FAILURE_ACTIONS, code),
  }),
  undelivered: (code) => ({
    message: lookUp(DELIVERY_FAILURES, code, 'The text was not delivered.'),
    next_step: lookUp(DELIVERY_FAILURE_ACTIONS, code),
  }),
};

function problemsOf(timeline: readonly TimelineStep[]): ProblemView[] {
  return timeline.flatMap(({ at, type, detail }) => {
    const explain = FAILED_STEPS[type as TimelineStepType];
    const code = String(detail?.code ?? type);
    return explain === undefined ? [] : [{ at, code, ...explain(code) }];
  });
}

type Conclusion = Pick<ExplanationView, 'summary' | 'next_step'>;

function explainRequested({ expires_at: expiresAt }: Intro, timeline: readonly TimelineStep[]): Conclusion {
  const deadline = expiresAt === null ? '' : ` It expires at ${expiresAt}.`;
  const last = timeline.findLast(({ type }) => type === 'recorded' || type === 'recording_refused');
  if (last?.type === 'recorded')
    return { summary: `A take was uploaded and is being processed.${deadline}`, next_step: 'Wait some seconds.' };
  if (last?.type === 'recording_refused') {
    const summary = `The last take was rejected, and the member has not recorded another.${deadline}`;
    return { summary, next_step: lastStep(problemsOf([last])) };
  }
  const summary = `The member has not recorded yet.${deadline}`;
  const unnotified = problemsOf(timeline.filter(({ type }) => type === 'member_not_told'));
  const isNotified = timeline.some(({ type }) => type === 'member_told' || type === 'member_reminded');
  const next_step = unnotified.length > 0 && !isNotified ? lastStep(unnotified) : 'Wait, or ask the member to record.';
  return { summary, next_step };
}

function explainReady({ delivery, recipient_opted_out: hasOptedOut }: Intro): Conclusion {
  const { responsibility, error, reason, scheduled_for: scheduledFor } = delivery;
  if (responsibility === 'integration') {
    const summary = 'The video is ready, and your system delivers it.';
    if (hasOptedOut) return { summary, next_step: DELIVERY_FAILURE_ACTIONS.recipient_opted_out };
    return { summary, next_step: 'Send `delivery.recipient_url` to the recipient, then mark the intro as sent.' };
  }
  if (error !== null) {
    return {
      summary: `The video is ready, and was not delivered: ${error.message}`,
      next_step: lookUp(DELIVERY_FAILURE_ACTIONS, error.code),
    };
  }
  const why = reason === null ? '' : ` ${lookUp(DELIVERY_DELAYS, reason, '')}`.trimEnd();
  const when = scheduledFor === null ? '' : ` The text is due at ${scheduledFor}.`;
  const next_step = reason === null ? 'Wait: it is being sent.' : lookUp(DELIVERY_DELAY_ACTIONS, reason, UNKNOWN);
  return { summary: `The video is ready, and not sent yet.${why}${when}`, next_step };
}

function explainSent(intro: Intro, timeline: readonly TimelineStep[]): Conclusion {
  const { opened_at: openedAt, watched_at: watchedAt } = intro;
  const failed = timeline.findLast(({ type }) => type === 'undelivered' || type === 'delivered');
  if (openedAt === null && failed?.type === 'undelivered')
    return { summary: 'The text was sent, and not delivered.', next_step: lastStep(problemsOf([failed])) };
  const seen = watchedAt !== null ? 'watched it to the end' : openedAt !== null ? 'opened it' : 'has not opened it yet';
  return { summary: `The link was sent, and the recipient ${seen}.`, next_step: NOTHING };
}

function conclude(intro: Intro, timeline: readonly TimelineStep[]): Conclusion {
  switch (intro.status) {
    case 'requested':
      return explainRequested(intro, timeline);
    case 'ready':
      return explainReady(intro);
    case 'sent':
      return explainSent(intro, timeline);
    case 'cancelled': {
      const { detail } = timeline.findLast(({ type }) => type === 'cancelled') ?? { detail: null };
      const by = detail?.key ? ` with the API key ${detail.key}` : detail?.member ? ` by ${detail.member}` : '';
      return { summary: `The intro was cancelled${by}.`, next_step: 'Create a new one if it is still needed.' };
    }
    case 'expired':
      return {
        summary: 'The intro expired before it was sent.',
        next_step: 'Create a new one if it is still needed, with another idempotency_key.',
      };
    default:
      return { summary: `The intro has the status ${String(intro.status)}.`, next_step: UNKNOWN };
  }
}

export function explainIntro(intro: Intro, timeline: readonly TimelineStep[]): ExplanationView {
  const { id, status } = intro;
  const { summary, next_step } = conclude(intro, timeline);
  return { object: 'explanation', id, status, summary, problems: problemsOf(timeline), next_step, intro: null };
}

const WEBHOOK_PROBLEM = {
  code: 'attempt_failed',
  next_step: 'Fix the receiver: it must respond with a 2xx within 15 seconds. Failed messages can be replayed.',
} as const;

/** `attempts`: the newest first, as the API lists them. */
export function explainEndpoint(endpoint: WebhookEndpoint, attempts: readonly WebhookAttempt[]): ExplanationView {
  const { id, active, disabled_reason: reason, failing_since: failingSince } = endpoint;
  const problems = attempts
    .filter(({ succeeded }) => !succeeded)
    .map(({ created_at: at, error, status, message, type }) => ({
      at,
      ...WEBHOOK_PROBLEM,
      message: `${type} (${message}): ${error ?? `the response was ${status ?? 'missing'}`}`,
    }))
    .reverse();
  const common = { object: 'explanation', id, status: active ? 'active' : 'inactive', problems, intro: null } as const;
  if (!active) {
    const why = reason === null ? 'A person or an integration turned it off.' : `Foreword turned it off: ${reason}.`;
    const summary = `The endpoint receives nothing. ${why}`;
    const next_step =
      reason === null
        ? 'Set `active` to true if it should receive webhooks.'
        : lookUp(WEBHOOK_DISABLED_ACTIONS, reason);
    return { ...common, summary, next_step };
  }
  if (failingSince !== null) {
    const summary = `Every attempt has failed since ${failingSince}.`;
    return { ...common, summary, next_step: WEBHOOK_PROBLEM.next_step };
  }
  if (attempts.length === 0) {
    const summary = 'The endpoint is on, and nothing was sent to it in the last 30 days.';
    return { ...common, summary, next_step: 'Send a test event.' };
  }
  return { ...common, summary: 'The endpoint is on, and its last attempt succeeded.', next_step: NOTHING };
}
