import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ServiceFixture } from '../harness/index.ts';

/** `legacy`: the handshake of versions before 2026-07-28. `auto`: the newest version that both know. */
export type Era = 'legacy' | 'auto';

export const newClient = (era: Era = 'auto'): Client =>
  new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });

export type Agent = ReturnType<typeof toAgent>;

/** An agent: the official client, connected. */
export function toAgent(client: Client) {
  async function call(name: string, given: Record<string, unknown>) {
    const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: given });
    const [first] = content as { text: string }[];
    return { isError, structuredContent, text: first?.text ?? '' };
  }
  return {
    client,
    /** The object that a tool returned. Throws when the tool failed. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read results freely, as in the harness.
    async use(name: string, given: Record<string, unknown> = {}): Promise<any> {
      const { isError, structuredContent, text } = await call(name, given);
      if (isError) throw new Error(`${name} failed: ${text}`);
      return structuredContent;
    },
    /** The error that a tool returned. Throws when it succeeded. */
    async fail(name: string, given: Record<string, unknown> = {}) {
      const { isError, text } = await call(name, given);
      if (!isError) throw new Error(`${name} succeeded: ${text}`);
      return JSON.parse(text);
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

interface ConnectOptions {
  readonly era?: Era;
  /** The groups of tools that the address asks for. */
  readonly tools?: string;
  /** Replaces the connection, for example with one to several nodes. */
  readonly fetch?: typeof fetch;
}

export async function connect(
  url: string,
  key: string,
  { era = 'auto', tools, ...options }: ConnectOptions = {},
): Promise<Agent> {
  const client = newClient(era);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(tools === undefined ? '/mcp' : `/mcp?tools=${tools}`, url), {
      requestInit,
      ...options,
    }),
  );
  return toAgent(client);
}

export const newKey = (
  fixture: Pick<ServiceFixture, 'run' | 'organization'>,
  ...options: string[]
): Promise<{ id: string; key: string }> =>
  fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Agent', ...options);

export const newWriterKey = (fixture: Pick<ServiceFixture, 'run' | 'organization'>) =>
  newKey(fixture, '--allow-agent-writes', 'true');

/** The arguments of an event, for a touchpoint that needs no context. */
export const anEvent = (key: string, changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  idempotency_key: key,
  ...changes,
});
