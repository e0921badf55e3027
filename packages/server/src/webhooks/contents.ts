import type { Row } from '../db/tenancy.ts';
import { rowSealWith } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';

type PayloadRow = Pick<Row<'webhook_messages'>, 'organization_id' | 'id' | 'sealed_payload'>;
type AnswerRow = Pick<Row<'webhook_attempts'>, 'organization_id' | 'id' | 'sealed_answer'>;
type Place = Pick<PayloadRow, 'organization_id' | 'id'>;

/** Encrypted bytes as text in JSON, which PostgreSQL reads as `bytea`. */
export const toHex = (bytes: Buffer | null): string | null => bytes && `\\x${bytes.toString('hex')}`;

export const contentPlace = (kind: 'payload' | 'answer', { organization_id, id }: Place): string =>
  `${kind} ${organization_id}/${id}`;

/** Derives a key that encrypts nothing else. */
export const CONTENTS_PURPOSE = 'webhook contents';

/**
 * Encrypts payloads, which contain links, and responses, which may repeat them. Not marks as in messages: a payload must stay
 * the same to the byte, and a response can contain a link in any encoding.
 */
export function createContentSeal(key: ServerKey) {
  const seal = rowSealWith(key, CONTENTS_PURPOSE);
  return {
    sealPayload: (place: Place, payload: string): Buffer => seal.close(payload, contentPlace('payload', place)),
    openPayload: (row: PayloadRow): string => seal.open(row.sealed_payload, contentPlace('payload', row)),
    sealAnswer: (place: Place, answer: string | null): Buffer | null =>
      answer === null ? null : seal.close(answer, contentPlace('answer', place)),
    openAnswer: (row: AnswerRow): string | null =>
      row.sealed_answer === null ? null : seal.open(row.sealed_answer, contentPlace('answer', row)),
  };
}

export type ContentSeal = ReturnType<typeof createContentSeal>;
