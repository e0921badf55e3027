import fs from 'node:fs/promises';
import type { RecordingFailureCode } from '@foreword/contract';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { Clip } from '../http/index.ts';
import { requireIntro } from '../intros/index.ts';
import { ApiError } from '../platform/errors.ts';
import { newId, randomBase62 } from '../platform/ids.ts';
import type { Objects, Space } from '../platform/objects/index.ts';
import { type DailyLimit, requireDailyRoom } from './daily-limit.ts';
import { originalPrefixOf } from './files.ts';
import { BUILT_IN_CLIP, TakeRefused } from './media/index.ts';
import { isOpen, PROCESSING_FAILED } from './rules.ts';
import { refuseReceived } from './store/processing.ts';
import { appendPart, insertRecording } from './store/uploads.ts';

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

async function receive(tx: Tx, stored: StoredTake, simulated: boolean): Promise<void> {
  const { tenant, introId, id, name, clip, now } = stored;
  const size = clip.bytes.length;
  await insertRecording(tx, tenant, { id, introId, mediaType: clip.mediaType, length: size, simulated }, now);
  await appendPart(tx, tenant, id, { name, offset: 0, size }, now);
}

/**
 * A command has no queue: a running service finds the take within a second. An operator runs it for a member, so its video is
 * as real as the member's.
 */
export async function receiveByCommand(tx: Tx, objects: Objects, take: Take): Promise<void> {
  await receive(tx, await storeClip(objects, take), false);
}

/** A take of a test helper, stored before its transaction. Its file is deleted if the request was a repeat or was refused. */
export async function storeSimulatedTake(
  deps: DailyLimit & { readonly objects: Objects; readonly space: Space },
  take: Take,
) {
  await deps.space.require();
  await requireDailyRoom(deps, take.tenant, take.clip.bytes.length);
  const stored = await storeClip(deps.objects, take);
  const { tenant, introId, id, now } = stored;
  let isReceived = false;

  async function receiveIfOpen(tx: Tx): Promise<void> {
    const { status } = await requireIntro(tx, tenant, introId);
    if (!isOpen(status)) {
      throw new ApiError('intro_closed', `This intro is ${status}, so nothing more can be recorded for it.`);
    }
    await receive(tx, stored, true);
    isReceived = true;
  }

  return {
    /** Receives the take for an intro that is still open. */
    receive: receiveIfOpen,
    /** The take is rejected for this reason. Its file is a valid video, so a retry succeeds. */
    async receiveAndRefuse(tx: Tx, code: RecordingFailureCode): Promise<void> {
      const message = code === PROCESSING_FAILED.code ? PROCESSING_FAILED.message : new TakeRefused(code).message;
      await receiveIfOpen(tx);
      await refuseReceived(tx, tenant, id, { code, message }, now);
    },
    async end(): Promise<void> {
      if (!isReceived) await deps.objects.delete(stored.key).catch(() => undefined);
    },
  };
}

export type SimulatedTake = Awaited<ReturnType<typeof storeSimulatedTake>>;
