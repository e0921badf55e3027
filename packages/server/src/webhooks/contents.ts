import type { Row } from '../db/tenancy.ts';
import { rowSealWith, type Seal } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';

type PayloadRow = Pick<Row<'webhook_messages'>, 'organization_id' | 'id' | 'sealed_payload'>;
type AnswerRow = Pick<Row<'webhook_attempts'>, 'organization_id' | 'id' | 'sealed_answer'>;
type Place = Pick<PayloadRow, 'organization_id' | 'id'>;

/** Encrypted bytes as text in JSON, which PostgreSQL reads as `bytea`. */
export const toHex = (bytes: Buffer | null): string | null => bytes && `\\x${bytes.toString('hex')}`;

/**
 * Encrypts payloads, which contain links, and responses, which may repeat them. Not marks as in messages: a payload must stay
 * the same to the byte, and a response can contain a link in any encoding.
 */
export interface ContentSeal {
  sealPayload(place: Place, payload: string): Buffer;
  openPayload(row: PayloadRow): string;
  sealAnswer(place: Place, answer: string | null): Buffer | null;
  openAnswer(row: AnswerRow): string | null;
}

export const contentPlace = (kind: 'payload' | 'answer', { organization_id, id }: Place): string =>
  `${kind} ${organization_id}/${id}`;

/** Derives a key that encrypts nothing else. */
export const CONTENTS_PURPOSE = 'webhook contents';

export function createContentSeal(key: ServerKey): ContentSeal {
  const seal: Seal = rowSealWith(key, CONTENTS_PURPOSE);
  return {
    sealPayload: (place, payload) => seal.close(payload, contentPlace('payload', place)),
    openPayload: (row) => seal.open(row.sealed_payload, contentPlace('payload', row)),
    sealAnswer: (place, answer) => (answer === null ? null : seal.close(answer, contentPlace('answer', place))),
    openAnswer: (row) =>
      row.sealed_answer === null ? null : seal.open(row.sealed_answer, contentPlace('answer', row)),
  };
}
