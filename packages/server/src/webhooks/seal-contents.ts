import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import type { ContentSeal } from './contents.ts';
import {
  storeSealedAnswers,
  storeSealedPayloads,
  takeClearAnswers,
  takeClearPayloads,
  toHex,
} from './store/clear-contents.ts';

/**
 * Encrypts up to `limit` payloads and as many responses that an earlier version stored in clear. Returns the larger number:
 * below `limit`, none is left.
 */
export const sealWebhookContents = (
  { db, contents }: { db: Database<Tables>; contents: ContentSeal },
  limit: number,
): Promise<number> =>
  db.kysely.transaction().execute(async (tx) => {
    const payloads = await takeClearPayloads(tx, limit);
    const answers = await takeClearAnswers(tx, limit);
    if (payloads.length > 0) {
      const sealed = payloads.map(({ payload, ...place }) => ({
        ...place,
        sealed: toHex(contents.sealPayload(place, payload).sealed_payload),
      }));
      await storeSealedPayloads(tx, sealed);
    }
    if (answers.length > 0) {
      const sealed = answers.map(({ answer, ...place }) => ({
        ...place,
        sealed: toHex(contents.sealAnswer(place, answer).sealed_answer),
      }));
      await storeSealedAnswers(tx, sealed);
    }
    return Math.max(payloads.length, answers.length);
  });
