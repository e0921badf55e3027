import type { HOME_OPERATIONS } from '@foreword/contract';
import { findMemberIntro, listRecorded, listToRecord, type RecordedRow, type ToRecordRow } from '../../intros/index.ts';
import { readPage } from '../../platform/paging.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { presentRecorded, presentTask } from './present.ts';
import { createSettingsHandlers } from './settings.ts';
import { createStartIntroHandlers } from './start-intro.ts';

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
