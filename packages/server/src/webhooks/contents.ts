import { rowSealWith, type Seal } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { WebhookAttemptRow, WebhookMessageRow } from '../tables.ts';

type PayloadRow = Pick<WebhookMessageRow, 'organization_id' | 'id' | 'payload' | 'sealed_payload'>;
type AnswerRow = Pick<WebhookAttemptRow, 'organization_id' | 'id' | 'answer' | 'sealed_answer'>;
type Place = Pick<PayloadRow, 'organization_id' | 'id'>;

/**
 * Encrypts payloads, which contain links, and responses, which may repeat them. Not marks as in messages: a payload must stay
 * the same to the byte, and a response can contain a link in any encoding.
 */
export interface ContentSeal {
  sealPayload(place: Place, payload: string): Pick<PayloadRow, 'payload'> & { readonly sealed_payload: Buffer };
  openPayload(row: PayloadRow): string;
  sealAnswer(place: Place, answer: string | null): Pick<AnswerRow, 'answer' | 'sealed_answer'>;
  openAnswer(row: AnswerRow): string | null;
}

export const contentPlace = (kind: 'payload' | 'answer', { organization_id, id }: Place): string =>
  `${kind} ${organization_id}/${id}`;

/** Derives a key that encrypts nothing else. */
export const CONTENTS_PURPOSE = 'webhook contents';

export function createContentSeal(key: ServerKey): ContentSeal {
  const seal: Seal = rowSealWith(key, CONTENTS_PURPOSE);
  return {
    sealPayload: (place, payload) => ({
      payload: null,
      sealed_payload: seal.close(payload, contentPlace('payload', place)),
    }),
    openPayload: (row) => {
      if (row.sealed_payload !== null) return seal.open(row.sealed_payload, contentPlace('payload', row));
      if (row.payload === null) throw new Error(`the webhook message ${row.id} has no payload`);
      return row.payload;
    },
    sealAnswer: (place, answer) => ({
      answer: null,
      sealed_answer: answer === null ? null : seal.close(answer, contentPlace('answer', place)),
    }),
    openAnswer: (row) =>
      row.sealed_answer === null ? row.answer : seal.open(row.sealed_answer, contentPlace('answer', row)),
  };
}
