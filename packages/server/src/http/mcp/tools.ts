import { type AgentGroup, type AgentTool, buildAgentTools, needsKey, scopesOf } from '@foreword/contract';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { ApiError } from '../../platform/errors.ts';
import type { Caller } from '../access/index.ts';
import type { ApiClient } from './api-client.ts';
import { EXPLAIN_FAILURE, explainFailure } from './explain.ts';
import { toApiCall, toResult } from './tool-calls.ts';

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

const isAllowed = ({ operation, isReadOnly }: AgentTool, { scope, agentWrites }: Caller): boolean =>
  scopesOf(operation).includes(scope) && (isReadOnly || agentWrites);

export interface Tools {
  /** The tools that the caller's key may use, with those of the groups that the connection asks for. */
  list(caller: Caller, groups: readonly AgentGroup[]): Tool[];
  isKnown(name: string): boolean;
  call(caller: Caller, api: ApiClient, name: string, given: Arguments): Promise<CallToolResult>;
}

export function createTools(): Tools {
  const known = new Map<string, KnownTool>(
    buildAgentTools().map((tool) => [tool.name, { ...tool, shown: describe(tool) }]),
  );
  return {
    list: (caller, groups) => [
      EXPLAIN_FAILURE,
      ...[...known.values()]
        .filter(({ operation: { agentGroup } }) => agentGroup === undefined || groups.includes(agentGroup))
        .filter((tool) => isAllowed(tool, caller))
        .map(({ shown }) => shown),
    ],
    isKnown: (name) => name === EXPLAIN_FAILURE.name || known.has(name),
    async call(caller, api, name, given) {
      const tool = known.get(name);
      if (tool === undefined) return explainFailure(api, given);
      if (!tool.isReadOnly && !caller.agentWrites) throw new ApiError('forbidden', WRITES_REFUSED);
      return toResult(await api(toApiCall(tool, given)));
    },
  };
}
