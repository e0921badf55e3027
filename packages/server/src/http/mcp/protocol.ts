import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Services } from '../../app/services.ts';
import { createResources } from './resources.ts';
import { createMcpServer, type ServerParts, type Session } from './server.ts';
import { createTools } from './tools.ts';

export interface ProtocolOptions extends Pick<Services, 'publicUrl' | 'log'> {
  readonly version: string;
  /** The built docs site. Null: not built. */
  readonly siteFolder: string | null;
}

export interface Protocol {
  answer(request: Request, parsedBody: unknown, session: Session): Promise<Response>;
  close(): Promise<void>;
}

/** Versions of the protocol before 2026-07-28 start with a handshake, which needs no memory of it here. */
async function answerEarlierVersion(request: Request, parsedBody: unknown, session: Session, parts: ServerParts) {
  const server = createMcpServer(session, parts);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

/** Answers requests of every version of the Model Context Protocol. */
export function createProtocol(options: ProtocolOptions): Protocol {
  const { version, log } = options;
  const parts: ServerParts = { version, log, tools: createTools(), resources: createResources(options) };
  const sessions = new WeakMap<Request, Session>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const session = requestInfo && sessions.get(requestInfo);
      if (session === undefined) throw new Error('a request of an agent has no session');
      return createMcpServer(session, parts);
    },
    // No subscriptions: the lists of tools and resources change only with the key or the version.
    { legacy: 'reject', maxSubscriptions: 0 },
  );
  return {
    async answer(request, parsedBody, session) {
      if (await isLegacyRequest(request, parsedBody)) return answerEarlierVersion(request, parsedBody, session, parts);
      sessions.set(request, session);
      return handler.fetch(request, { parsedBody });
    },
    close: () => handler.close(),
  };
}
