import { CompiledQuery, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

export interface ClearPayload {
  readonly organization_id: string;
  readonly id: string;
  readonly payload: string;
}

export interface ClearAnswer {
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly id: string;
  readonly answer: string;
}

/** A column of encrypted bytes in JSON: PostgreSQL reads it as `bytea`. */
export const toHex = (bytes: Buffer | null): string | null => bytes && `\\x${bytes.toString('hex')}`;

// Partial indexes have the same conditions.
const TAKE_PAYLOADS = `select organization_id, id, payload from webhook_messages where payload is not null
  order by organization_id, id limit $1 for update skip locked`;
const TAKE_ANSWERS = `select organization_id, endpoint_id, id, answer from webhook_attempts where answer is not null
  order by organization_id, endpoint_id, id limit $1 for update skip locked`;

/** Locks messages that a version before `sealed_payload` stored. */
export async function takeClearPayloads(tx: Transaction<Tables>, limit: number): Promise<ClearPayload[]> {
  return (await tx.executeQuery<ClearPayload>(CompiledQuery.raw(TAKE_PAYLOADS, [limit]))).rows;
}

/** Locks attempts that a version before `sealed_answer` stored. */
export async function takeClearAnswers(tx: Transaction<Tables>, limit: number): Promise<ClearAnswer[]> {
  return (await tx.executeQuery<ClearAnswer>(CompiledQuery.raw(TAKE_ANSWERS, [limit]))).rows;
}

const STORE_PAYLOADS = `
update webhook_messages m set payload = null, sealed_payload = s.sealed
from json_to_recordset($1::json) as s(organization_id text, id text, sealed bytea)
where m.organization_id = s.organization_id and m.id = s.id`;
const STORE_ANSWERS = `
update webhook_attempts a set answer = null, sealed_answer = s.sealed
from json_to_recordset($1::json) as s(organization_id text, endpoint_id text, id text, sealed bytea)
where a.organization_id = s.organization_id and a.endpoint_id = s.endpoint_id and a.id = s.id`;

export async function storeSealedPayloads(
  tx: Transaction<Tables>,
  rows: readonly { readonly organization_id: string; readonly id: string; readonly sealed: string | null }[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(STORE_PAYLOADS, [JSON.stringify(rows)]));
}

export async function storeSealedAnswers(
  tx: Transaction<Tables>,
  rows: readonly (Omit<ClearAnswer, 'answer'> & { readonly sealed: string | null })[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(STORE_ANSWERS, [JSON.stringify(rows)]));
}
