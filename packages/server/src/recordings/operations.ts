import { RECORDING_LINK_LIFE_S } from '@foreword/contract';
import type { Handlers } from '../http/index.ts';
import { introChange, requireIntro } from '../intros/index.ts';
import type { Links } from '../intros/links/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { isOpen } from './rules.ts';
import { retryRecording } from './scheduling.ts';

/** As stored for an Idempotency-Key: the URL is derived again, because the database contains no link. */
interface StoredLink {
  readonly generation: number;
  readonly expires_at: string;
}

export function recordingOperations(deps: { readonly clock: Clock; readonly links: Links }) {
  const { clock, links } = deps;
  const change = introChange(deps);
  return {
    retryRecording: change(async (tx, caller, { params }) =>
      retryRecording(deps, tx, caller, await requireIntro(tx, caller, params.id)),
    ),
    createRecordingLink: {
      async run(tx, caller, { params: { id: introId }, body }): Promise<StoredLink> {
        const { status, link_generation: generation } = await requireIntro(tx, caller, introId);
        if (!isOpen(status)) {
          throw new ApiError('intro_closed', `This intro is ${status}, so nothing more can be recorded for it.`);
        }
        await links.activateRecord(tx, [{ tenant: caller, introId, generation }]);
        const { expires_in: lifeS = RECORDING_LINK_LIFE_S } = body;
        const expiresAt = new Date((Math.floor(clock().getTime() / 1000) + lifeS) * 1000);
        return { generation, expires_at: expiresAt.toISOString() };
      },
      present({ generation, expires_at }: StoredLink, _caller, { params: { id: introId } }) {
        const url = links.expiringRecordUrl({ introId, generation, expiresAt: new Date(expires_at) });
        return { object: 'recording_link', url, expires_at };
      },
      isOutdated: ({ expires_at }: StoredLink) => new Date(expires_at) <= clock(),
    },
  } satisfies Partial<Handlers>;
}
