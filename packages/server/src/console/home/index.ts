/** A member's home: what to record, and starting an intro. */

import type { HOME_OPERATIONS } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { findMemberIntro, listRecorded, listToRecord, type RecordedRow, type ToRecordRow } from '../../intros/index.ts';
import { findMember, type MemberChange, recordMemberChange, refusePhoto, updateMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { readPage } from '../../platform/paging.ts';
import { storePicture } from '../../recordings/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { deletePhotoIfUnused } from '../files.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { presentRecorded, presentSettings, presentTask } from './present.ts';
import { createStartIntroHandlers } from './start-intro.ts';

type Settings = 'readOwnSettings' | 'changeOwnSettings' | 'uploadOwnPhoto' | 'removeOwnPhoto';

const gone = () => new ApiError('unauthorized', 'You are no longer signed in. Sign in again.');

/** A member's own settings. */
function createSettingsHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'objects' | 'encoder' | 'log'>,
): Pick<ConsoleHandlers, Settings & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
    clock,
  } = deps;

  async function changePhoto(user: ConsoleUser, photo: string | null) {
    const before = await findMember(db, user.tenant, user.memberId);
    try {
      return await change(user, { photo });
    } finally {
      // A refused photo is already stored.
      for (const key of new Set([before?.photo ?? null, photo])) {
        await deletePhotoIfUnused(deps, user.tenant, user.memberId, key);
      }
    }
  }

  async function change({ tenant, memberId }: ConsoleUser, changes: MemberChange) {
    const row = await db.transaction().execute(async (tx) => {
      const before = await findMember(tx, tenant, memberId);
      if (before === null || Object.keys(changes).length === 0) return before;
      const refusal = refusePhoto(before, changes.photo);
      if (refusal !== null) throw refusal;
      const after = await updateMember(tx, tenant, memberId, changes);
      if (after !== null) await recordMemberChange(tx, tenant, before, after);
      return after;
    });
    if (row === null) throw gone();
    return presentSettings(row);
  }

  return {
    readOwnSettings: (user) => change(user, {}),
    async changeOwnSettings(user, { body: { phone, notify_by, words_per_minute, weekly_summary: isOn } }) {
      if (isOn !== undefined && user.role !== 'owner') {
        throw new ApiError('forbidden', 'Only owners get the weekly summary.');
      }
      return change(user, {
        ...(phone !== undefined && { phone: phone === '' ? null : phone }),
        ...(notify_by !== undefined && { notify_by }),
        ...(words_per_minute !== undefined && { words_per_minute }),
        ...(isOn !== undefined && { weekly_summary_off_at: isOn ? null : clock() }),
      });
    },
    async uploadOwnPhoto(user, { body }) {
      const { organizationId } = user.tenant;
      const stored = await storePicture(deps, {
        bytes: Buffer.from(body.photo, 'base64'),
        shape: 'face',
        keyFor: (hash) => `${organizationId}/members/${user.memberId}-${hash}.jpg`,
      });
      if ('refused' in stored) throw invalid('photo', stored.refused);
      return changePhoto(user, stored.key);
    },
    removeOwnPhoto: (user) => changePhoto(user, null),
  };
}

/** More than a member records in a day. */
const SHOWN_TO_RECORD = 50;
const RECORDED_PAGE = 20;

export function createHomeHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
    links,
  } = deps;

  /** Activates the links, because this page may be the first place to show them. */
  async function withLinks<Row extends Pick<ToRecordRow, 'id' | 'link_generation'>, Wire>(
    tenant: Tenant,
    rows: readonly Row[],
    present: (row: Row, recordUrl: string) => Wire,
  ): Promise<Wire[]> {
    await links.activateRecord(
      db,
      rows.map(({ id, link_generation: generation }) => ({ tenant, introId: id, generation })),
    );
    return rows.map((row) => present(row, links.recordUrl(row.id, row.link_generation)));
  }

  return {
    ...createStartIntroHandlers(deps),
    ...createSettingsHandlers(deps),
    async readHome({ tenant, memberId }) {
      const rows = await listToRecord(db, tenant, memberId, SHOWN_TO_RECORD + 1);
      const shown = rows.slice(0, SHOWN_TO_RECORD);
      return {
        to_record: await withLinks(tenant, shown, presentTask),
        has_more_to_record: rows.length > shown.length,
      };
    },
    async listOwnRecorded({ tenant, memberId }, { query }) {
      const page = await readPage<RecordedRow, RecordedRow>(
        { ...query, limit: RECORDED_PAGE },
        {
          exists: async (id) => (await findMemberIntro(db, tenant, memberId, id)) !== null,
          rows: ({ limit, startingAfter }) => listRecorded(db, tenant, memberId, { limit, startingAfter }),
          present: (row) => row,
        },
      );
      return { recorded: await withLinks(tenant, page.data, presentRecorded), has_more: page.has_more };
    },
  };
}
