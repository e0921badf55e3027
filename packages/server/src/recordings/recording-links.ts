import { type CreateRecordingLink, RECORDING_LINK_LIFE_S, type RecordingLink } from '@foreword/contract';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { once } from '../idempotency/index.ts';
import { findIntro, noSuchIntro } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { Answer } from '../platform/operations.ts';
import { isOpen } from './rules.ts';

/** As stored for an Idempotency-Key: the URL is derived again, because the database contains no link. */
interface StoredLink {
  readonly generation: number;
  readonly expires_at: string;
}

export interface RecordingLinks {
  create(tenant: Tenant, key: string, introId: string, body: CreateRecordingLink): Promise<Answer>;
}

export function createRecordingLinks(deps: { db: Database<Tables>; clock: Clock; links: Links }): RecordingLinks {
  const { db, clock, links } = deps;

  function present(introId: string, { generation, expires_at }: StoredLink): RecordingLink {
    const url = links.expiringRecordUrl({ introId, generation, expiresAt: new Date(expires_at) });
    return { object: 'recording_link', url, expires_at };
  }

  return {
    async create(tenant, key, introId, body) {
      const request = { tenant, key, method: 'POST', path: `/v1/intros/${introId}/recording_link`, body } as const;
      const now = clock();
      const isExpired = (stored: string) => new Date((JSON.parse(stored) as StoredLink).expires_at) <= now;
      const answer = await once(
        db,
        request,
        async (tx) => {
          const intro = ID_PATTERN.test(introId) ? await findIntro(tx, tenant, introId) : null;
          if (intro === null) throw noSuchIntro();
          const { status, link_generation: generation } = intro;
          if (!isOpen(status)) {
            throw new ApiError('intro_closed', `This intro is ${status}, so nothing more can be recorded for it.`);
          }
          await links.activateRecord(tx, [{ tenant, introId, generation }]);
          const { expires_in: lifeS = RECORDING_LINK_LIFE_S } = body;
          const stored: StoredLink = {
            generation,
            expires_at: new Date((Math.floor(now.getTime() / 1000) + lifeS) * 1000).toISOString(),
          };
          return { objectId: introId, body: JSON.stringify(stored) };
        },
        { isOutdated: isExpired },
      );
      return { ...answer, body: present(introId, JSON.parse(answer.body) as StoredLink) };
    },
  };
}
