import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import type { RecordingFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../db/tenancy.ts';
import type { KeyedRequest } from '../idempotency/index.ts';
import type { IntroService } from '../intros/index.ts';
import { ApiError } from '../platform/errors.ts';
import { newId, randomBase62 } from '../platform/ids.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Objects, Space } from '../platform/objects.ts';
import { type Answer, Clip } from '../platform/operations.ts';
import type { TestClocks } from '../test-clock/index.ts';
import { type DailyLimit, requireDailyRoom } from './daily-limit.ts';
import { PROCESS_RECORDING } from './jobs.ts';
import { originalPrefixOf } from './keys.ts';
import { BUILT_IN_CLIP, TakeRefused } from './media/index.ts';
import { isOpen, PROCESSING_FAILED } from './rules.ts';
import { refuseReceived } from './store/processing.ts';
import { insertRecording } from './store/recordings.ts';
import { appendPart } from './store/uploads.ts';

export const builtInClip = async (): Promise<Clip> => new Clip('video/mp4', await fs.readFile(BUILT_IN_CLIP));

interface Take {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly clip: Clip;
  readonly now: Date;
}

interface StoredTake extends Take {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

/** Stores the clip as one uploaded part. Runs before any transaction, so a slow object store holds no row locks. */
async function storeClip(objects: Objects, take: Take): Promise<StoredTake> {
  const id = newId('rec', take.now);
  const name = `0-${randomBase62(8).toLowerCase()}`;
  const key = originalPrefixOf({ organization_id: take.tenant.organizationId, id }) + name;
  await objects.put(key, take.clip.bytes, { type: 'application/octet-stream' });
  return { ...take, id, name, key };
}

async function receive(tx: Transaction<Tables>, stored: StoredTake, simulated: boolean): Promise<void> {
  const { tenant, introId, id, name, clip, now } = stored;
  const size = clip.bytes.length;
  await insertRecording(tx, tenant, { id, introId, mediaType: clip.mediaType, length: size, simulated }, now);
  await appendPart(tx, tenant, id, { name, offset: 0, size }, now);
}

/**
 * A command has no queue: a running service finds the take within a second. An operator runs it for a member, so its video is
 * as real as the member's.
 */
export async function receiveByCommand(tx: Transaction<Tables>, objects: Objects, take: Take): Promise<void> {
  await receive(tx, await storeClip(objects, take), false);
}

export interface SimulatedMember {
  record(tenant: Tenant, key: string, introId: string, body: unknown): Promise<Answer>;
  /** Records a take that is rejected for this reason. Its file is a valid video, so a retry succeeds. */
  failToRecord(request: KeyedRequest, introId: string, code: RecordingFailureCode): Promise<Answer>;
}

export function createSimulatedMember(
  deps: DailyLimit & {
    objects: Objects;
    space: Space;
    jobs: Jobs;
    testClocks: TestClocks;
    intros: IntroService;
  },
): SimulatedMember {
  const { objects, space, jobs, testClocks, intros } = deps;

  /** Receives a take once per key, and runs `settle` in the same transaction. Responds with the intro as it is then. */
  async function recordOnce(
    request: KeyedRequest,
    introId: string,
    clip: Clip,
    settle: (tx: Transaction<Tables>, take: StoredTake) => Promise<unknown>,
  ): Promise<Answer> {
    const { tenant } = request;
    await space.require();
    await requireDailyRoom(deps, tenant, clip.bytes.length);
    const stored = await storeClip(objects, { tenant, introId, clip, now: testClocks.now(tenant) });
    let isReceived = false;
    try {
      return await intros.once(request, async (tx) => {
        const intro = await intros.retrieveWithin(tx, tenant, introId);
        if (!isOpen(intro.status)) {
          throw new ApiError('intro_closed', `This intro is ${intro.status}, so nothing more can be recorded for it.`);
        }
        await receive(tx, stored, true);
        await settle(tx, stored);
        isReceived = true;
        return intro;
      });
    } finally {
      // The request was a repeat or was refused, so nothing refers to the clip.
      if (!isReceived) await objects.delete(stored.key).catch(() => undefined);
    }
  }

  return {
    async record(tenant, key, introId, body) {
      const sent = body instanceof Clip ? body : null;
      const content = sent && {
        media_type: sent.mediaType,
        sha256: createHash('sha256').update(sent.bytes).digest('hex'),
      };
      const path = `/v1/test_helpers/intros/${introId}/record`;
      const request = { tenant, key, method: 'POST', path, body: content ?? body } as const;
      return recordOnce(request, introId, sent ?? (await builtInClip()), (tx, { id }) =>
        jobs.sendWithin(tx, PROCESS_RECORDING, { organizationId: tenant.organizationId, id }),
      );
    },
    async failToRecord(request, introId, code) {
      const message = code === PROCESSING_FAILED.code ? PROCESSING_FAILED.message : new TakeRefused(code).message;
      return recordOnce(request, introId, await builtInClip(), (tx, { id, now }) =>
        refuseReceived(tx, request.tenant, id, { code, message }, now),
      );
    },
  };
}
