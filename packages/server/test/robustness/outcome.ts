import { ERRORS } from '@foreword/contract';
import { expect } from 'vitest';
import type { Reply, TestDatabase } from '../harness/index.ts';

/** The parts of a response that an integrator acts on. */
export interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly field: string | undefined;
}

export const invalidField = (field: string): Outcome => ({ status: 422, code: 'validation_failed', field });

export function outcomeOf(reply: Pick<Reply, 'status' | 'body'>): Outcome {
  const { status, body } = reply;
  if (status >= 400) expectErrorShape(reply);
  return { status, code: body?.error?.code, field: body?.error?.field };
}

/** The expected `field` of other errors. Errors that are not listed have none. */
const FIELDS: Readonly<Record<string, unknown>> = {
  touchpoint_not_found: 'touchpoint',
  member_not_found: expect.stringMatching(/^member\.(id|external_id|email)$/),
  member_ambiguous: 'member.email',
};

/** Every error has this shape, even if the request could not be parsed. */
export function expectErrorShape({ status, body }: Pick<Reply, 'status' | 'body'>): void {
  expect(body, `a response with status ${status}`).toEqual({ error: expect.anything() });
  const { code, message, field, problems, object_id, ...rest } = body.error;
  expect(rest).toEqual({});
  expect(ERRORS).toHaveProperty(code);
  expect({ code, status }).toEqual({ code, status: ERRORS[code as keyof typeof ERRORS].status });
  expect(message).toEqual(expect.stringMatching(/\S/));
  if (code !== 'idempotency_conflict') expect(object_id).toBeUndefined();
  if (code === 'validation_failed') {
    expect(problems[0]).toEqual({ field, message: expect.any(String) });
    for (const one of problems) {
      expect(one.field).toEqual(expect.any(String));
      expect(one.message.startsWith(`${one.field} `), `"${one.message}" does not begin with "${one.field}"`).toBe(true);
    }
    expect(message.startsWith(problems[0].message)).toBe(true);
    expect(new Set(problems.map((one: { field: string }) => one.field)).size).toBe(problems.length);
  } else {
    expect(problems).toBeUndefined();
    expect(field).toEqual(FIELDS[code] ?? undefined);
  }
}

/** Rows that a rejected request could have left behind. Intros of events are created later, so they are not counted. */
export async function countStored(database: TestDatabase): Promise<{ events: number; intros: number; keys: number }> {
  const [row] = await database.query<{ events: number; intros: number; keys: number }>(
    `select (select count(*)::int from touchpoint_events) as events,
      (select count(*)::int from intros where event_id is null) as intros,
      (select count(*)::int from idempotency_keys) as keys`,
  );
  if (row === undefined) throw new Error('counting gave no row');
  return row;
}
