import type { ForewordClient, ForewordHelpers } from './foreword.ts';
import type { Log } from './log.ts';
import type { Recipe } from './recipe.ts';

/** The parts of a running recipe. */
export interface Bridge {
  readonly recipe: Recipe<unknown>;
  readonly foreword: ForewordClient;
  readonly helpers: ForewordHelpers;
  readonly log: Log;
  readonly country: string;
}

/** The failure may be temporary, or end after an administrator's fix: the CRM gets a 503 and sends the webhook again. */
export class TemporaryError extends Error {}

export interface Failure {
  readonly code: string | undefined;
  readonly field: string | undefined;
  readonly status: number | undefined;
}

/** Errors of the SDK, by their fields: a response has a status, a broken connection has none. No message, because it may quote a number. */
export function describeFailure(error: unknown): Failure {
  const { code, field, status } = (error ?? {}) as Partial<Record<keyof Failure, unknown>>;
  return {
    code: typeof code === 'string' ? code : error instanceof Error ? error.name : undefined,
    field: typeof field === 'string' ? field : undefined,
    status: typeof status === 'number' ? status : undefined,
  };
}
