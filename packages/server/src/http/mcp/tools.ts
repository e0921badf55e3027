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

interface Problem {
  readonly at: string | null;
  readonly code: string;
  readonly message: string;
  readonly next_step: string;
}

interface Explanation {
  readonly object: 'explanation';
  readonly id: string;
  readonly status: string;
  /** Empty: nothing went wrong. */
  readonly problems: readonly Problem[];
  readonly intro: string | null;
}

/** For a code that this version does not know: nodes of a newer version may have written it. */
const UNKNOWN = 'Look up the code in the page about errors.';

const lookUp = (table: object, code: string, fallback = UNKNOWN): string =>
  (Object.hasOwn(table, code) && (table as Record<string, string>)[code]) || fallback;

/** `ofIntro`: the problems of the intro that the event created, if the key may read it. */
export function explainEvent({ id, status, intro, error }: TouchpointEvent, ofIntro: readonly Problem[]): Explanation {
  const own = error === undefined ? [] : [{ at: null, ...error, next_step: lookUp(EVENT_FAILURE_ACTIONS, error.code) }];
  return { object: 'explanation', id, status, problems: [...own, ...ofIntro], intro };
}

const MEMBER_NOT_NOTIFIED =
  'Ask the member directly to record, correct their contact details, or reassign the intro in the console.';

interface FailedStep {
  readonly message: string;
  readonly reasons: object;
  /** The next step, either one for all codes or one for each. */
  readonly actions: object | string;
}

const FAILED_STEPS: Partial<Record<TimelineStepType, FailedStep>> = {
  recording_refused: {
    message: 'A take was rejected.',
    reasons: RECORDING_FAILURES,
    actions: RECORDING_FAILURE_ACTIONS,
  },
  member_not_told: {
    message: 'The member was not notified.',
    reasons: DELIVERY_FAILURES,
    actions: MEMBER_NOT_NOTIFIED,
  },
  not_sent: { message: 'The text was not sent.', reasons: DELIVERY_FAILURES, actions: DELIVERY_FAILURE_ACTIONS },
  undelivered: {
    message: 'The text was not delivered.',
    reasons: DELIVERY_FAILURES,
    actions: DELIVERY_FAILURE_ACTIONS,
  },
};

function problemOf({ at, type, detail }: TimelineStep): Problem | null {
  const failed = FAILED_STEPS[type as TimelineStepType];
  if (failed === undefined) return null;
  const { message, reasons, actions } = failed;
  const code = String(detail?.code ?? type);
  return {
    at,
    code,
    message: `${message} ${lookUp(reasons, code, '')}`.trim(),
    next_step: typeof actions === 'string' ? actions : lookUp(actions, code),
  };
}

const WAITING = { ...DELIVERY_FAILURES, ...DELIVERY_DELAYS };
const WAITING_ACTIONS = { ...DELIVERY_FAILURE_ACTIONS, ...DELIVERY_DELAY_ACTIONS };

export function explainIntro({ id, status, delivery }: Intro, timeline: readonly TimelineStep[]): Explanation {
  const problems = timeline.map(problemOf).filter((problem) => problem !== null);
  const { reason: code } = delivery;
  if (code !== null && problems.every((problem) => problem.code !== code)) {
    problems.push({ at: null, code, message: lookUp(WAITING, code, ''), next_step: lookUp(WAITING_ACTIONS, code) });
  }
  return { object: 'explanation', id, status, problems, intro: null };
}

const WEBHOOK_PROBLEM = {
  code: 'attempt_failed',
  next_step: 'Fix the receiver: it must respond with a 2xx within 15 seconds. Failed messages can be replayed.',
} as const;

/** `attempts`: the newest first, as the API lists them. */
export function explainEndpoint(
  { id, active, disabled_reason: code }: WebhookEndpoint,
  attempts: readonly WebhookAttempt[],
): Explanation {
  const failed = attempts
    .filter(({ succeeded }) => !succeeded)
    .map(({ created_at: at, error, status, message, type }) => ({
      at,
      ...WEBHOOK_PROBLEM,
      message: `${type} (${message}): ${error ?? `the response was ${status ?? 'missing'}`}`,
    }))
    .reverse();
  const message = 'Foreword turned the endpoint off.';
  const off = code === null ? [] : [{ at: null, code, message, next_step: lookUp(WEBHOOK_DISABLED_ACTIONS, code) }];
  const status = active ? 'active' : 'inactive';
  return { object: 'explanation', id, status, problems: [...failed, ...off], intro: null };
}

const ATTEMPTS = 20;

const EXPLAIN_FAILURE = {
  name: 'explain_failure',
  title: 'Explain a failure',
  description:
    'Explains what went wrong with an event, an intro or a webhook endpoint: reads it with its timeline or attempts, and lists ' +
    'each problem with what to do next. For an event, also those of the intro that it created. No problems: nothing failed.',
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

async function readIntro(api: ApiClient, id: string): Promise<Explanation> {
  const intro = await read<Intro>(api, `/v1/intros/${id}`);
  const { data } = await read<List<TimelineStep>>(api, `/v1/intros/${id}/timeline`);
  return explainIntro(intro, data);
}

/** Keys with the scope `events` may read the event and not its intro. */
async function readProblems(api: ApiClient, id: string | null): Promise<readonly Problem[]> {
  if (id === null) return [];
  try {
    return (await readIntro(api, id)).problems;
  } catch (error) {
    if (error instanceof Refused && error.answer.error?.code === 'forbidden') return [];
    throw error;
  }
}

const EXPLAINED: Record<string, (api: ApiClient, id: string) => Promise<Explanation>> = {
  async evt(api, id) {
    const event = await read<TouchpointEvent>(api, `/v1/events/${id}`);
    return explainEvent(event, await readProblems(api, event.intro));
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

const isAllowed = ({ operation, isReadOnly }: AgentTool, { scope, agent_writes: mayWrite }: Caller): boolean =>
  scopesOf(operation).includes(scope) && (isReadOnly || mayWrite);

export type Tools = ReturnType<typeof createTools>;

export function createTools() {
  const known = new Map(buildAgentTools().map((tool) => [tool.name, { ...tool, shown: describe(tool) }]));
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
