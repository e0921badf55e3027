import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError, sleep } from 'n8n-workflow';
import { toNodeApiError } from './errors';

export type RequestContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface ForewordRequest {
  readonly method: IHttpRequestMethods;
  readonly path: string;
  readonly query?: IDataObject;
  readonly body?: IDataObject;
  /** Every attempt sends the same key, so that a repeat creates nothing twice. */
  readonly idempotencyKey?: string;
  /** How long the service may wait before it responds, for long polling. */
  readonly waitS?: number;
  readonly itemIndex?: number;
}

const MAX_ATTEMPTS = 5;
/** The service answers within a second; a minute of silence is a broken connection. */
const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 16_000;
/** A longer wait belongs to the workflow's own retry settings, not inside of one node. */
const LONGEST_RETRY_AFTER_S = 60;

/** How often a pause checks whether the execution was cancelled. */
const PAUSE_STEP_MS = 1000;

/** Errors of the connection, as n8n reports them: `ECONNRESET`, `ETIMEDOUT`, `ECONNABORTED` and others. */
const isConnectionError = (error: unknown): boolean =>
  /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(String((error as { httpCode?: unknown } | null)?.httpCode ?? ''));

const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Seconds that the response asks for; undefined without a usable header. */
function readRetryAfterS({ headers }: IN8nHttpFullResponse): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function pauseMs(attempt: number, retryAfterS = 0): number {
  const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  // Random jitter, so that workflows that failed together do not retry together.
  return Math.max(retryAfterS * 1000, backoffMs * (0.5 + Math.random() / 2));
}

const readCancelSignal = (context: RequestContext): AbortSignal | undefined =>
  'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = ms; left > 0 && !signal?.aborted; left -= PAUSE_STEP_MS) await sleep(Math.min(left, PAUSE_STEP_MS));
}

async function sendOnce(context: RequestContext, request: ForewordRequest): Promise<IN8nHttpFullResponse> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('forewordApi');
  return (await context.helpers.httpRequestWithAuthentication.call(context, 'forewordApi', {
    method: request.method,
    url: `${baseUrl.replace(/\/+$/, '')}${request.path}`,
    headers: {
      accept: 'application/json',
      'user-agent': 'n8n-nodes-foreword',
      ...(request.idempotencyKey !== undefined && { 'idempotency-key': request.idempotencyKey }),
    },
    ...(request.query && { qs: request.query }),
    ...(request.body && { body: request.body }),
    json: true,
    timeout: TIMEOUT_MS + (request.waitS ?? 0) * 1000,
    // A redirect would turn a POST into a GET.
    disableFollowRedirect: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  })) as IN8nHttpFullResponse;
}

/** Sends a request, and retries it after a timeout, a broken connection, a 429 and a 5xx. */
async function sendWithRetries(context: RequestContext, request: ForewordRequest): Promise<IN8nHttpFullResponse> {
  const signal = readCancelSignal(context);
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt + 1 === MAX_ATTEMPTS;
    let retryAfterS: number | undefined;
    try {
      const response = await sendOnce(context, request);
      if (isLast || !isRetryable(response.statusCode)) return response;
      retryAfterS = readRetryAfterS(response);
      if (retryAfterS !== undefined && retryAfterS > LONGEST_RETRY_AFTER_S) return response;
    } catch (error) {
      const { itemIndex } = request;
      if (isLast || signal?.aborted || !isConnectionError(error))
        throw new NodeApiError(context.getNode(), error as JsonObject, {
          ...(itemIndex !== undefined && { itemIndex }),
        });
    }
    await pause(pauseMs(attempt, retryAfterS), signal);
  }
}

const NOT_FOUND = 404;

const isObject = (value: unknown): value is IDataObject => typeof value === 'object' && value !== null;

/** The object in a response, or a NodeApiError with the code, message and field that the service returned. */
function readObject(context: RequestContext, response: IN8nHttpFullResponse, itemIndex?: number): IDataObject {
  const { statusCode, body } = response;
  if (statusCode >= 200 && statusCode < 300 && isObject(body)) return body;
  throw toNodeApiError(context.getNode(), response, itemIndex);
}

export async function callForeword(context: RequestContext, request: ForewordRequest): Promise<IDataObject> {
  return readObject(context, await sendWithRetries(context, request), request.itemIndex);
}

/** The same, but undefined if the object does not exist. */
export async function findObject(context: RequestContext, request: ForewordRequest): Promise<IDataObject | undefined> {
  const response = await sendWithRetries(context, request);
  // A 404 without an error code is from something else than the API, such as a proxy.
  if (response.statusCode === NOT_FOUND && isObject(response.body) && 'error' in response.body) return undefined;
  return readObject(context, response, request.itemIndex);
}
