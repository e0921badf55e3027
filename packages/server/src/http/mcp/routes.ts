import { isIP } from 'node:net';
import { AGENT_GROUPS, type AgentGroup } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import type { Caller } from '../access/index.ts';
import { authorize, type Gate } from '../index.ts';
import { createApiClient } from './api-client.ts';
import type { Protocol, ProtocolOptions, Session } from './protocol.ts';

/** Names that public DNS cannot have, so that no other site can point one at this service. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal)$/;

/**
 * Whether a web page of another site may have sent the request, in a browser that it made resolve a name of its own to this
 * service (DNS rebinding). Programs send no Origin.
 */
function isFromOtherSite(
  { origin, host = '' }: { readonly origin?: string | undefined; readonly host?: string | undefined },
  publicUrl: string,
): boolean {
  const own = new URL(publicUrl);
  if (origin !== undefined && origin !== own.origin) return true;
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined) return true;
  const isAddress = isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
  return !(isAddress || name === own.hostname || PRIVATE_NAME.test(name));
}

const PATH = '/mcp';
/** Headers that the protocol reads. */
const PROTOCOL_HEADERS = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** Any key may connect, and a request counts as a read. Each tool then needs what its operation needs. */
const ACCESS = { method: 'POST', changesNothing: true, allowsEventKeys: true } as const;
const JSON_RPC_PARSE_ERROR = -32_700;

function refuseOtherSites({ raw }: FastifyRequest, publicUrl: string): void {
  if (!isFromOtherSite(raw.headers, publicUrl)) return;
  const message =
    'The Origin or Host header names another site. Connect to the address of this service, from a program and not from a page.';
  throw new ApiError('forbidden', message);
}

/** The groups in the query of a connection's address: `tools=test_clock,link_domains`. */
function readGroups(query: unknown): readonly AgentGroup[] {
  const { tools } = query as { tools?: string | string[] };
  if (tools === undefined) return [];
  const names = [tools].flat().join(',').split(',');
  const groups = AGENT_GROUPS.filter((group) => names.includes(group));
  if (groups.length === new Set(names).size) return groups;
  throw invalid('tools', `must be one or more of ${AGENT_GROUPS.join(', ')}, separated by commas`);
}

function toWebRequest(request: FastifyRequest, publicUrl: string, signal: AbortSignal): Request {
  const { headers } = request.raw;
  const kept = PROTOCOL_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Request(new URL(PATH, publicUrl), {
    method: 'POST',
    headers: [...kept, ['content-type', request.state.mediaType ?? '']],
    signal,
  });
}

async function send(reply: FastifyReply, response: Response): Promise<string> {
  const type = response.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  // Responses contain names and phone numbers, so no cache may store them.
  reply.header('cache-control', 'no-store').code(response.status);
  return response.text();
}

/** The API for agents, at /mcp: the Model Context Protocol over HTTP, without sessions, so that every node can answer. */
export function registerMcp(app: FastifyInstance, options: ProtocolOptions & { readonly gate: Gate }): void {
  const { gate, publicUrl } = options;
  let loading: Promise<Protocol> | undefined;
  // The library is a hundred modules. Most services have no agents, so the first request loads it.
  const load = () => (loading ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol(options)));
  app.addHook('preClose', async () => {
    await (await loading)?.close();
  });
  app.post(PATH, {
    config: { operation: 'mcp' },
    async onRequest(request, reply) {
      refuseOtherSites(request, publicUrl);
      await authorize(gate, ACCESS, request, reply);
    },
    async handler(request, reply) {
      const groups = readGroups(request.query);
      const left = new AbortController();
      reply.raw.once('close', () => left.abort());
      const body = parseJson(String(request.body ?? ''));
      if (body === undefined) {
        reply.code(400).type('application/json; charset=utf-8').header('cache-control', 'no-store');
        const error = { code: JSON_RPC_PARSE_ERROR, message: 'Parse error: the body is not valid JSON' };
        return JSON.stringify({ jsonrpc: '2.0', error, id: null });
      }
      const webRequest = toWebRequest(request, publicUrl, left.signal);
      const session: Session = {
        caller: request.state.caller as Caller,
        api: createApiClient(app, request, left.signal),
        groups,
        noteTool(tool) {
          request.state.logFields = { ...request.state.logFields, tool };
        },
      };
      const protocol = await load();
      return send(reply, await protocol.answer(webRequest, body, session));
    },
  });
}
