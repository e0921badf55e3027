import type { IDataObject, IN8nHttpFullResponse, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string; readonly field?: string };
}

const HINTS: Readonly<Record<string, string>> = {
  unauthorized: 'Check the API key in the Foreword API credential.',
  idempotency_conflict:
    'This Idempotency Key was used for a request with other values. If this is another event, add a part to the key that differs.',
  member_ambiguous: 'Select the member by ID or external ID instead.',
};

function readBody(body: unknown): ErrorBody {
  return typeof body === 'object' && body !== null ? (body as ErrorBody) : {};
}

/** Explains a response that is not from the API, such as the error page of a proxy. */
function explainForeign(status: number): string {
  if (status >= 300 && status < 400) return `The Base URL redirects (${status}). Use the address it redirects to.`;
  if (status < 300) return 'The response is not from Foreword. Check the Base URL in the credential.';
  return `The service responded with the status ${status} and no error code. Check the Base URL in the credential.`;
}

/** The message is the API's own; the description has the code, the field and the request ID for support. */
export function toNodeApiError(node: INode, response: IN8nHttpFullResponse, itemIndex?: number): NodeApiError {
  const { statusCode, headers, body } = response;
  const { code, message, field } = readBody(body).error ?? {};
  const requestId = headers['request-id'];
  const parts = [
    code && HINTS[code],
    code && `Code: ${code}.`,
    field && `Field: ${field}.`,
    typeof requestId === 'string' && `Request ID: ${requestId}.`,
  ];
  const error = new NodeApiError(node, { statusCode } as JsonObject, {
    message: message ?? explainForeign(statusCode),
    description: parts.filter(Boolean).join(' '),
    httpCode: String(statusCode),
    ...(itemIndex !== undefined && { itemIndex }),
  });
  const details: IDataObject = { status: statusCode };
  for (const [name, value] of Object.entries({ code, field, request_id: requestId }))
    if (value !== undefined) details[name] = value;
  error.context.foreword = details;
  return error;
}

/** The content of an item when the workflow continues. n8n sends items with only these two keys to the error output. */
export function describeError(error: unknown): IDataObject {
  if (!(error instanceof Error)) return { error: String(error) };
  const details = error instanceof NodeApiError ? (error.context.foreword as IDataObject | undefined) : undefined;
  return { error: error.message, ...(details && { details }) };
}
