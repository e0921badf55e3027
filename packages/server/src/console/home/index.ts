import type { HOME_OPERATIONS } from '@foreword/contract';
import { findMemberIntro, listRecorded, listToRecord, type RecordedRow, type ToRecordRow } from '../../intros/index.ts';
import { findMember, type MemberChange, updateMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { readPage } from '../../platform/paging.ts';
import { storePicture } from '../../recordings/index.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import { deletePhotoIfUnused } from '../files.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { presentRecorded, presentSettings, presentTask } from './present.ts';
import { createStartIntroHandlers } from './start-intro.ts';

type Settings = 'GET /home/settings' | 'POST /home/settings' | 'POST /home/photo' | 'DELETE /home/photo';

const gone = () => new ApiError('unauthorized', 'You are no longer signed in. Sign in again.');

/** A member's own settings. */
function createSettingsHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>,
): Pick<ConsoleHandlers, Settings & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
  } = deps;

  async function changePhoto(user: ConsoleUser, photo: string | null) {
    const before = await findMember(db, user.tenant, user.memberId);
    const settings = await change(user, { photo });
    await deletePhotoIfUnused(deps, user.tenant, user.memberId, before?.photo ?? null);
    return settings;
  }

  async function change({ tenant, memberId }: ConsoleUser, changes: MemberChange) {
    const isNothing = Object.keys(changes).length === 0;
    const row = await (isNothing ? findMember(db, tenant, memberId) : updateMember(db, tenant, memberId, changes));
    if (row === null) throw gone();
    return presentSettings(row);
  }

  return {
    'GET /home/settings': ({ user }) => change(user, {}),
    'POST /home/settings'({ user, body: { phone, notify_by, words_per_minute } }) {
      return change(user, {
        ...(phone !== undefined && { phone: phone === '' ? null : phone }),
        ...(notify_by !== undefined && { notify_by }),
        ...(words_per_minute !== undefined && { words_per_minute }),
      });
    },
    async 'POST /home/photo'({ user, body }) {
      const { organizationId } = user.tenant;
      const stored = await storePicture(deps, {
        bytes: Buffer.from(body.photo, 'base64'),
        shape: 'face',
        keyFor: (hash) => `${organizationId}/members/${user.memberId}-${hash}.jpg`,
      });
      if ('refused' in stored) throw invalid('photo', stored.refused);
      return changePhoto(user, stored.key);
    },
    'DELETE /home/photo': ({ user }) => changePhoto(user, null),
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
    async 'GET /home'({ user: { tenant, memberId } }) {
      const rows = await listToRecord(db, tenant, memberId, SHOWN_TO_RECORD + 1);
      const shown = rows.slice(0, SHOWN_TO_RECORD);
      return {
        to_record: await withLinks(tenant, shown, presentTask),
        has_more_to_record: rows.length > shown.length,
      };
    },
    async 'GET /home/recorded'({ user: { tenant, memberId }, query }) {
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
