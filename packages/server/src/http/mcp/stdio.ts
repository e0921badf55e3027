import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  PROTOCOL_VERSION_META_KEY,
  serializeMessage,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { parseJson } from '../../platform/json.ts';

/** JSON-RPC's code for an internal error. */
const FORWARDING_FAILED = -32_603;
/** The parameters whose value the header Mcp-Name repeats. */
const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = { 'tools/call': 'name', 'resources/read': 'uri' };
const PRINTABLE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

/** Where the service is, and the key. */
export interface Destination {
  readonly url: string;
  readonly apiKey: string;
  /** Groups of tools to add. */
  readonly tools?: string | undefined;
}

const encodeHeader = (text: string): string =>
  PRINTABLE.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

type Params = { readonly _meta?: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>;

/** Headers that repeat parts of the message. Before 2026-07-28, only the negotiated version is needed. */
function headersOf(message: JSONRPCMessage, negotiated: string | undefined): Record<string, string> {
  if (!('method' in message)) return {};
  const params = (message.params ?? {}) as Params;
  const version = params._meta?.[PROTOCOL_VERSION_META_KEY] ?? negotiated;
  const name = params[NAMED_BY[message.method] ?? ''];
  return {
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    'mcp-method': message.method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  };
}

function refusalOf(status: number, body: string): string {
  const { error } = (parseJson(body) ?? {}) as { error?: { message?: unknown } };
  // A response without an error comes from another program or a proxy.
  return typeof error?.message === 'string' ? error.message : `the service answered with ${status}`;
}

/** Null for a message that has no response. Throws an error that says what to do when the service does not answer, or refuses. */
async function post(message: JSONRPCMessage, { url, apiKey, tools }: Destination, negotiated?: string) {
  let response: Response;
  try {
    response = await fetch(`${url}/mcp${tools === undefined ? '' : `?tools=${encodeURIComponent(tools)}`}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headersOf(message, negotiated),
      },
      body: JSON.stringify(message),
      redirect: 'error',
    });
  } catch {
    throw new Error(`the service at ${url} does not respond. Start it, or set FOREWORD_URL`);
  }
  const body = await response.text();
  if (response.status === 202) return null;
  const answer = parseJson(body);
  // Errors of the protocol are JSON-RPC, whatever their status.
  if (typeof answer === 'object' && answer !== null && 'jsonrpc' in answer) return answer as JSONRPCMessage;
  throw new Error(refusalOf(response.status, body));
}

/** Throws when no service answers, or it refuses the key. */
export async function checkDestination(destination: Destination): Promise<void> {
  await post({ jsonrpc: '2.0', id: 0, method: 'ping' }, destination);
}

/** The transport of the SDK writes nothing once stdin has ended, although responses may be pending. */
const write = (message: JSONRPCMessage): Promise<void> =>
  new Promise((resolve) => process.stdout.write(serializeMessage(message), () => resolve()));

/**
 * Forwards messages from stdin to /mcp, and the responses to stdout, until stdin ends. `find` runs again after a failure, because
 * the service may have restarted at another address.
 */
export async function forwardMessages(
  found: Destination,
  find: () => Promise<Destination>,
  complain: (problem: string) => void,
): Promise<void> {
  const transport = new StdioServerTransport();
  const pending = new Set<Promise<void>>();
  let destination: Destination | null = found;
  let negotiated: string | undefined;

  async function forward(message: JSONRPCMessage): Promise<void> {
    try {
      destination ??= await find();
      const answer = await post(message, destination, negotiated);
      if (answer === null) return;
      if (isJSONRPCResultResponse(answer) && 'method' in message && message.method === 'initialize')
        negotiated = String(answer.result.protocolVersion);
      await write(answer);
    } catch (error) {
      destination = null;
      const problem = error instanceof Error ? error.message : String(error);
      complain(problem);
      if (!isJSONRPCRequest(message)) return;
      await write({ jsonrpc: '2.0', id: message.id, error: { code: FORWARDING_FAILED, message: problem } });
    }
  }
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  transport.onmessage = (message) => {
    const work = forward(message).finally(() => pending.delete(work));
    pending.add(work);
  };
  transport.onerror = (error) => complain(`a message on stdin is not valid: ${error.message}`);
  await transport.start();
  await ended;
  await Promise.allSettled(pending);
}
