import {
  DELIVERY_DELAYS,
  DELIVERY_FAILURES,
  ERRORS,
  type ErrorCode,
  EVENT_FAILURES,
  RECORDING_FAILURES,
} from './errors.ts';
import {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_FAILURE_ACTIONS,
  EVENT_FAILURE_ACTIONS,
  RECORDING_FAILURE_ACTIONS,
} from './failure-actions.ts';

/** One code: `description` and `action` have code between backticks. */
export interface ErrorGuideEntry {
  /** The fragment that the header `Link` of an error has. */
  readonly anchor: string;
  readonly code: string;
  /** Only of responses. */
  readonly status: number | null;
  readonly description: string;
  readonly action: string;
  /** A response body. */
  readonly example: string | null;
}

interface ErrorGuideSection {
  readonly title: string;
  readonly text: string;
  readonly entries: readonly ErrorGuideEntry[];
}

/** Details of an error with this code, besides its message. */
const DETAILS: Partial<Record<ErrorCode, object>> = {
  validation_failed: {
    field: 'recipient.phone',
    problems: [{ field: 'recipient.phone', message: ERRORS.validation_failed.example }],
  },
  touchpoint_not_found: { field: 'touchpoint' },
  member_not_found: { field: 'member.external_id' },
  member_ambiguous: { field: 'member.email' },
  idempotency_conflict: { object_id: 'evt_01kahzv8e1f0rtx5m2q6n9d3bw' },
};

/** The body of an example. */
export const errorExample = (code: ErrorCode): string =>
  JSON.stringify({ error: { code, message: ERRORS[code].example, ...DETAILS[code] } });

function listResponses(isOfConsole: boolean): ErrorGuideEntry[] {
  const entries = Object.entries(ERRORS)
    .filter(([, entry]) => 'isOfConsole' in entry === isOfConsole)
    .sort(([, a], [, b]) => a.status - b.status);
  return entries.map(([code, { status, description, action }]) => {
    return { anchor: code, code, status, description, action, example: errorExample(code as ErrorCode) };
  });
}

const listFailures = <Code extends string>(
  prefix: string,
  messages: Record<Code, string>,
  actions: Record<Code, string>,
): ErrorGuideEntry[] =>
  (Object.keys(messages) as Code[]).map((code) => ({
    anchor: `${prefix}.${code}`,
    code,
    status: null,
    description: messages[code],
    action: actions[code],
    example: null,
  }));

/**
 * Every code that callers meet, and what to do about it: the page `/docs/errors`. Imports no schema, so that the docs site
 * can read it without installing the service.
 */
export const ERROR_GUIDE: readonly ErrorGuideSection[] = [
  {
    title: 'Responses',
    text: 'Every error response has this body: `{"error": {"code": …, "message": …}}`. Use `code` in your program and show `message` to people. With `validation_failed`, `field` names the first invalid field, and `problems` lists all of them.',
    entries: listResponses(false),
  },
  {
    title: 'Events that failed',
    text: 'In `error.code` of a touchpoint event whose `status` is `failed`.',
    entries: listFailures('event', EVENT_FAILURES, EVENT_FAILURE_ACTIONS),
  },
  {
    title: 'Intros that were not delivered',
    text: 'In `delivery.error.code` of an intro, or in its `delivery.reason`.',
    entries: listFailures('delivery', DELIVERY_FAILURES, DELIVERY_FAILURE_ACTIONS),
  },
  {
    title: 'Texts that wait',
    text: 'In `delivery.reason` of an intro whose text is scheduled.',
    entries: listFailures('delay', DELIVERY_DELAYS, DELIVERY_DELAY_ACTIONS),
  },
  {
    title: 'Takes that were rejected',
    text: 'In `detail.code` of the step `recording_refused` of a timeline.',
    entries: listFailures('recording', RECORDING_FAILURES, RECORDING_FAILURE_ACTIONS),
  },
  {
    title: 'Responses in the console',
    text: 'Only the console gets these.',
    entries: listResponses(true),
  },
];
