import { ApiError } from '../platform/errors.ts';

/** The command failed and changed nothing. The message says why and what to do. */
export class Failure extends Error {}

/** The command line is invalid. */
export class UsageError extends Error {}

/** Turns a refusal by a use case of the API into a failure of the command. */
export async function orFailure<T>(work: Promise<T>, next = ''): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ApiError ? new Failure(`${error.message}${next}`) : error;
  }
}
