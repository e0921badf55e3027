import { needsKey, type Operation } from './operation.ts';
import { OPERATIONS, type OperationId } from './operations.ts';
import { FORMATS, INTERNAL, type Json, type JsonObject, type TSchema, Type } from './schema.ts';

/** The argument with the idempotency key: tools have no headers. */
export const KEY_ARGUMENT = 'idempotency_key';

/** Ids come from other tools. */
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** Short, because most tools have it: the instructions of the server say how to build it. */
const KEY = Type.String({
  description: 'Built from the data of the record: the same for every attempt, another one for every other request.',
});

/** An operation of the API as a tool for agents (Model Context Protocol). */
export interface AgentTool {
  /** `retrieve_intro`: the operation id in snake case. */
  readonly name: string;
  readonly operationId: OperationId;
  readonly operation: Operation;
  readonly isReadOnly: boolean;
  /** Path, query and body as one object, with the idempotency key where the operation needs one. */
  readonly inputSchema: JsonObject;
}

const snakeCase = (operationId: string): string =>
  operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * A schema without what only our validator and our document know. Unlike the published one it has no references, which many
 * clients do not follow, and no values that stand for "not sent": a model leaves the field out.
 */
function inlineSchema(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(inlineSchema);
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const { 'x-open': isOpen } = schema as { 'x-open'?: boolean };
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    const isOurs = INTERNAL.has(key) || (key === 'format' && !FORMATS.has(String(value)));
    // Patterns with Unicode classes stop some validators. Values that are added later are valid, too.
    const isUnsafe = (key === 'pattern' && String(value).includes('\\p')) || (key === 'enum' && isOpen === true);
    // The list of tools is part of every conversation: it has no examples that the rest of the schema shows.
    const isNoise =
      key === 'minLength' ||
      (key === 'examples' && ('enum' in schema || 'properties' in schema || ID.test(`${value}`)));
    if (!isOurs && !isUnsafe && !isNoise) out[key] = inlineSchema(value);
  }
  return out;
}

function inputOf(operation: Operation): JsonObject {
  const { params, query, body } = operation;
  const properties: JsonObject = {};
  const required: string[] = [];
  const add = (name: string, schema: TSchema, isRequired: boolean) => {
    if (properties[name] !== undefined) throw new Error(`${operation.operationId} has two inputs named ${name}`);
    properties[name] = inlineSchema(schema);
    if (isRequired) required.push(name);
  };
  for (const part of [params, body?.schema, query]) {
    for (const [name, schema] of Object.entries(part?.properties ?? {})) {
      add(name, schema, ((part?.required ?? []) as readonly string[]).includes(name));
    }
  }
  if (needsKey(operation)) add(KEY_ARGUMENT, KEY, true);
  const { minProperties, description } = (body?.schema ?? {}) as { minProperties?: number; description?: string };
  // A choice between the fields of the body: its description says so, because some models accept no `oneOf` here.
  const isChoice = minProperties !== undefined && description !== undefined;
  return { type: 'object', ...(isChoice && { description }), properties, required, additionalProperties: false };
}

/** Every operation that agents may use, as a tool. */
export const buildAgentTools = (): AgentTool[] =>
  (Object.entries(OPERATIONS) as [OperationId, Operation][])
    .filter(([, operation]) => operation.isClosedToAgents !== true)
    .map(([operationId, operation]) => ({
      name: snakeCase(operationId),
      operationId,
      operation,
      isReadOnly: operation.method === 'GET' || operation.changesNothing === true,
      inputSchema: inputOf(operation),
    }));
