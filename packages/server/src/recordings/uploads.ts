import type { Readable } from 'node:stream';
import { DAY_MS, ERRORS, type Language } from '@foreword/contract';
import { DataStore, MemoryLocker, Server, ERRORS as TUS_ERRORS, Upload } from '@tus/server';
import type { Services } from '../app/services.ts';
import { isTransient } from '../db/pools.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { ApiError } from '../platform/errors.ts';
import { newId, randomBase62 } from '../platform/ids.ts';
import { ObjectsError } from '../platform/objects/index.ts';
import { type DailyLimit, requireDailyRoom } from './daily-limit.ts';
import { type Edits, NO_EDITS } from './edits.ts';
import { originalPrefixOf } from './files.ts';
import { MAX_UPLOADS_A_DAY, PART_BYTES, readMediaType, UPLOAD_LIFE_MS } from './rules.ts';
import {
  appendPart,
  countSince,
  declareLength,
  discardUpload,
  findRecording,
  insertRecording,
  lockIntroOf,
  notifyTakesWaiting,
  type RecordingRow,
} from './store/uploads.ts';

/** How long an interrupted request may take to save what it received before the next request resumes the upload. */
const LOCK_DRAIN_MS = 3_000;

/** The version of the consent, and its language. */
export interface ShownVersion {
  readonly version: string;
  readonly language: Language;
}

/** A link allows uploads for one intro. */
export interface UploadScope {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly memberId: string;
  readonly organization: string;
  /** The consent that the recorder showed. Null: none, or an upload that has started before. */
  readonly consent: ShownVersion | null;
  /** When the link expires. Uploads that started later belong to other links. */
  readonly expiresAt: Date | null;
  /** Sent with the request that declares the length. */
  readonly edits: Edits;
}

export interface UploadDeps extends DailyLimit, Pick<Services, 'objects' | 'testClocks' | 'log'> {
  readonly maxBytes: number;
  /** Runs in the transaction that creates the upload. False: the member has withdrawn the consent. */
  consentByRecording(
    tx: Tx,
    tenant: Tenant,
    recording: { readonly memberId: string; readonly organization: string; readonly shown: ShownVersion | null },
    now: Date,
  ): Promise<boolean>;
}

/** As everywhere else, so that the recorder can tell why. */
const FULL = new ApiError('storage_full', ERRORS.storage_full.example).toBody();

const refusal = (status_code: number, body: string) => ({ status_code, body: `${body}\n` });

/**
 * Stores uploads as rows and objects, so any node can resume them. A part counts once an update guarded by the offset adds
 * it to the row; of two requests that write at the same offset, only one succeeds.
 */
class RecordingUploads extends DataStore {
  private readonly deps: UploadDeps;
  private readonly scope: UploadScope;

  constructor(deps: UploadDeps, scope: UploadScope) {
    super();
    this.deps = deps;
    this.scope = scope;
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration'];
  }

  private async find(id: string): Promise<RecordingRow> {
    const row = await findRecording(this.deps.db.kysely, this.scope.tenant, id);
    const { introId, expiresAt } = this.scope;
    if (row === null || row.intro_id !== introId) throw TUS_ERRORS.FILE_NOT_FOUND;
    if (expiresAt !== null && row.created_at >= expiresAt) throw TUS_ERRORS.FILE_NOT_FOUND;
    // Discarded by the member, or abandoned: the recorder starts a new upload.
    if (row.status === 'discarded') throw TUS_ERRORS.FILE_NO_LONGER_EXISTS;
    return row;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { db, testClocks, consentByRecording } = this.deps;
    const { tenant, introId, memberId, organization, consent: shown, edits } = this.scope;
    const mediaType = readMediaType(upload.metadata?.filetype);
    if (mediaType === null) throw refusal(415, 'Only MP4, WebM, QuickTime and Matroska videos are accepted.');
    if (upload.size === 0) throw refusal(400, 'The file is empty.');
    const now = testClocks.now(tenant);
    if ((await countSince(db.kysely, tenant, introId, new Date(now.getTime() - DAY_MS))) >= MAX_UPLOADS_A_DAY) {
      throw refusal(429, 'You have reached the daily limit for takes. Send your last take, or try again tomorrow.');
    }
    await requireDailyRoom(this.deps, tenant, upload.size ?? 1);
    const length = upload.size ?? null;
    const take = { id: upload.id, introId, memberId, mediaType, length, edits: length === null ? NO_EDITS : edits };
    await db.kysely.transaction().execute(async (tx) => {
      const isAllowed = await consentByRecording(tx, tenant, { memberId, organization, shown }, now);
      if (!isAllowed) throw refusal(410, JSON.stringify({ closed: 'likeness_withdrawn' }));
      // Reassigned since the link was checked: the response to the next attempt says so.
      if (!(await lockIntroOf(tx, tenant, introId, memberId))) throw refusal(503, 'This intro has changed. Try again.');
      await insertRecording(tx, tenant, take, now);
    });
    upload.creation_date = now.toISOString();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.find(id);
    // Without its time: tus would compare it with this machine's clock. The sweep discards uploads that are too old.
    return new Upload({
      id,
      offset: row.upload_offset,
      metadata: { filetype: row.media_type },
      ...(row.upload_length !== null && { size: row.upload_length }),
    });
  }

  override getExpiration(): number {
    return UPLOAD_LIFE_MS;
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    if (length === 0) throw refusal(400, 'The file is empty.');
    const { tenant, edits } = this.scope;
    await this.advance((tx) => declareLength(tx, tenant, id, { length, edits }, this.deps.testClocks.now(tenant)));
  }

  /** Updates the row, and wakes the workers when the upload is complete. */
  private async advance(change: (tx: Tx) => ReturnType<typeof appendPart>): Promise<void> {
    await this.deps.db.kysely.transaction().execute(async (tx) => {
      const state = await change(tx);
      if (state === null) throw TUS_ERRORS.INVALID_OFFSET;
      if (state === 'uploaded') await notifyTakesWaiting(tx);
    });
  }

  private async storePart(id: string, offset: number, bytes: Buffer): Promise<void> {
    const { objects, testClocks } = this.deps;
    const { tenant } = this.scope;
    const name = `${offset}-${randomBase62(8).toLowerCase()}`;
    const key = originalPrefixOf({ organization_id: tenant.organizationId, id }) + name;
    await requireDailyRoom(this.deps, tenant, bytes.length);
    await objects.put(key, bytes, { type: 'application/octet-stream' });
    try {
      await this.advance((tx) =>
        appendPart(tx, tenant, id, { name, offset, size: bytes.length }, testClocks.now(tenant)),
      );
    } catch (error) {
      if (error === TUS_ERRORS.INVALID_OFFSET) await objects.delete(key);
      throw error;
    }
  }

  /** Saves what arrived even if the connection drops, so a phone that lost its signal resumes from there. */
  override async write(stream: Readable, id: string, start: number): Promise<number> {
    let offset = start;
    let pending: Buffer[] = [];
    let size = 0;
    const flush = async () => {
      if (size === 0) return;
      const bytes = Buffer.concat(pending);
      pending = [];
      size = 0;
      await this.storePart(id, offset, bytes);
      offset += bytes.length;
    };
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        pending.push(chunk);
        size += chunk.length;
        if (size >= PART_BYTES) await flush();
      }
    } finally {
      await flush();
    }
    return offset;
  }

  override async remove(id: string): Promise<void> {
    const { db, objects, clock } = this.deps;
    const { tenant } = this.scope;
    await this.find(id);
    if (!(await discardUpload(db.kysely, tenant, id, clock()))) throw TUS_ERRORS.INVALID_TERMINATION;
    await objects.deleteAll(originalPrefixOf({ organization_id: tenant.organizationId, id }));
  }
}

export type UploadServers = (scope: UploadScope, path: string) => Server;

/** tus 1.0 for the recorder. Each request gets its own server, which sees only the uploads of its link. */
export function createUploadServers(deps: UploadDeps): UploadServers {
  // Serializes requests within this process; across processes the guarded offset decides.
  const locker = new MemoryLocker();
  return (scope, path) =>
    new Server({
      path,
      datastore: new RecordingUploads(deps, scope),
      locker,
      lockDrainTimeout: LOCK_DRAIN_MS,
      maxSize: deps.maxBytes,
      relativeLocation: true,
      // Pages on other origins must not upload.
      allowedOrigins: () => false,
      namingFunction: () => newId('rec', deps.clock()),
      onResponseError: (_request, error) => {
        if ('status_code' in error) return undefined;
        if (error instanceof ApiError) return refusal(error.status, error.toBody());
        const isTemporary = isTransient(error) || error instanceof ObjectsError;
        deps.log[isTemporary ? 'warn' : 'error'](
          { err: error, organization: scope.tenant.organizationId },
          'upload failed',
        );
        if (error instanceof ObjectsError && error.code === 'full') return refusal(503, FULL);
        return refusal(isTemporary ? 503 : 500, 'Could not save the video. Retrying…');
      },
    });
}
