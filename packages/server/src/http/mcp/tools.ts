import {
  type AgentGroup,
  type AgentTool,
  buildAgentTools,
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_DELAYS,
  DELIVERY_FAILURE_ACTIONS,
  DELIVERY_FAILURES,
  EVENT_FAILURE_ACTIONS,
  type Intro,
  type List,
  needsKey,
  RECORDING_FAILURE_ACTIONS,
  RECORDING_FAILURES,
  scopesOf,
  type TimelineStep,
  type TimelineStepType,
  type TouchpointEvent,
  WEBHOOK_DISABLED_ACTIONS,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '@foreword/contract';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { Caller } from '../access/index.ts';
import { type ApiAnswer, type ApiClient, toApiCall, toErrorResult, toResult } from './api-client.ts';

interface ProblemView {
  readonly at: string | null;
  readonly code: string;
  readonly message: string;
  readonly next_step: string;
}

interface ExplanationView {
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
  const why = reason === null ? '' : ` ${lookUp({ ...DELIVERY_FAILURES, ...DELIVERY_DELAYS }, reason, '')}`.trimEnd();
  const when = scheduledFor === null ? '' : ` The text is due at ${scheduledFor}.`;
  const actions = { ...DELIVERY_FAILURE_ACTIONS, ...DELIVERY_DELAY_ACTIONS };
  const next_step = reason === null ? 'Wait: it is being sent.' : lookUp(actions, reason);
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

const ATTEMPTS = 20;

const EXPLAIN_FAILURE = {
  name: 'explain_failure',
  title: 'Explain a failure',
  description:
    'Explains the state of an event, an intro or a webhook endpoint: reads it with its timeline or attempts, lists what went ' +
    'wrong, and says what to do next. For an event, it explains the intro that it created, too.',
  inputSchema: {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        description: 'The id of a touchpoint event (`evt_…`), an intro (`int_…`) or a webhook endpoint (`whk_…`).',
        examples: ['evt_01kahzv8e1f0rtx5m2q6n9d3bw'],
      },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} satisfies Tool;

/** An answer of the API that ends the explanation. */
class Refused extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(answer.error?.message ?? '');
    this.answer = answer;
  }
}

async function read<T>(api: ApiClient, path: string): Promise<T> {
  const answer = await api({ method: 'GET', path });
  if (answer.error !== null) throw new Refused(answer);
  return answer.body as T;
}

async function readIntro(api: ApiClient, id: string): Promise<ExplanationView> {
  const intro = await read<Intro>(api, `/v1/intros/${id}`);
  const { data } = await read<List<TimelineStep>>(api, `/v1/intros/${id}/timeline`);
  return explainIntro(intro, data);
}

/** Keys with the scope `events` may read the event and not its intro. */
async function readCreated(api: ApiClient, id: string | null): Promise<ExplanationView | null> {
  if (id === null) return null;
  try {
    return await readIntro(api, id);
  } catch (error) {
    if (error instanceof Refused && error.answer.error?.code === 'forbidden') return null;
    throw error;
  }
}

const EXPLAINED: Record<string, (api: ApiClient, id: string) => Promise<ExplanationView>> = {
  async evt(api, id) {
    const event = await read<TouchpointEvent>(api, `/v1/events/${id}`);
    return explainEvent(event, await readCreated(api, event.intro));
  },
  int: readIntro,
  async whk(api, id) {
    const endpoint = await read<WebhookEndpoint>(api, `/v1/webhook_endpoints/${id}`);
    const attempts = `/v1/webhook_endpoints/${id}/attempts?limit=${ATTEMPTS}`;
    return explainEndpoint(endpoint, (await read<List<WebhookAttempt>>(api, attempts)).data);
  },
};

async function explainFailure(
  api: ApiClient,
  { id, ...others }: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(unknown, 'is not an argument of this tool');
  if (typeof id !== 'string') throw invalid('id', 'is required, as text');
  const kind = /^([a-z]+)_\w{1,60}$/.exec(id)?.[1] ?? '';
  const explain = Object.hasOwn(EXPLAINED, kind) ? EXPLAINED[kind] : undefined;
  if (explain === undefined) {
    throw new ApiError(
      'not_found',
      'No event, intro or webhook endpoint with this id. They start with evt_, int_ and whk_.',
    );
  }
  try {
    const explanation = await explain(api, id);
    return { content: [{ type: 'text', text: JSON.stringify(explanation) }], structuredContent: { ...explanation } };
  } catch (error) {
    if (!(error instanceof Refused) || error.answer.error === null) throw error;
    return toErrorResult(error.answer.error, error.answer.requestId);
  }
}

const WRITES_REFUSED =
  'Through MCP this key may only read: it does not have the permission "agent_writes". An owner can change it.';

/** A tool as clients see it, without a schema of its result: models read the result itself, and the list stays small. */
function describe({ name, operation, isReadOnly, inputSchema }: AgentTool): Tool {
  const { summary, description, isDestructive = false } = operation;
  return {
    name,
    title: summary,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: {
      readOnlyHint: isReadOnly,
      // With the same idempotency key, a repeat changes nothing.
      ...(!isReadOnly && { destructiveHint: isDestructive, idempotentHint: needsKey(operation) }),
      // Changes can notify members, recipients and webhook endpoints.
      openWorldHint: !isReadOnly,
    },
  };
}

type Arguments = Readonly<Record<string, unknown>>;

interface KnownTool extends AgentTool {
  readonly shown: Tool;
}

const isAllowed = ({ operation, isReadOnly }: AgentTool, { scope, agent_writes: mayWrite }: Caller): boolean =>
  scopesOf(operation).includes(scope) && (isReadOnly || mayWrite);

export type Tools = ReturnType<typeof createTools>;

export function createTools() {
  const known = new Map<string, KnownTool>(
    buildAgentTools().map((tool) => [tool.name, { ...tool, shown: describe(tool) }]),
  );
  return {
    /** The tools that the caller's key may use, with those of the groups that the connection asks for. */
    list: (caller: Caller, groups: readonly AgentGroup[]): Tool[] => [
      EXPLAIN_FAILURE,
      ...[...known.values()]
        .filter(({ operation: { agentGroup } }) => agentGroup === undefined || groups.includes(agentGroup))
        .filter((tool) => isAllowed(tool, caller))
        .map(({ shown }) => shown),
    ],
    isKnown: (name: string) => name === EXPLAIN_FAILURE.name || known.has(name),
    async call(caller: Caller, api: ApiClient, name: string, given: Arguments): Promise<CallToolResult> {
      const tool = known.get(name);
      if (tool === undefined) return explainFailure(api, given);
      if (!tool.isReadOnly && !caller.agent_writes) throw new ApiError('forbidden', WRITES_REFUSED);
      return toResult(await api(toApiCall(tool, given)));
    },
  };
}
