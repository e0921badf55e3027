import type { Intro, List, TimelineStep, TouchpointEvent, WebhookAttempt, WebhookEndpoint } from '@foreword/contract';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { type ExplanationView, explainEndpoint, explainEvent, explainIntro } from './explanations.ts';
import { toErrorResult } from './tool-calls.ts';

const ATTEMPTS = 20;

export const EXPLAIN_FAILURE = {
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

export async function explainFailure(
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
