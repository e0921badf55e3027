import { Readable } from 'node:stream';
import { OVERVIEW_DAYS, type OverviewDays } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { type ExportRow, readExportPages } from '../../intros/index.ts';
import { type CsvColumns, writeCsv } from '../../platform/csv.ts';
import { invalid } from '../../platform/errors.ts';
import { idBound } from '../../platform/ids.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import { recordExport } from '../activity/export.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireOrganization } from '../organization.ts';
import { datesUntil, startOfDate } from './rules.ts';

const COLUMNS: CsvColumns<ExportRow> = [
  ['id', ({ id }) => id],
  ['status', ({ status }) => status],
  ['touchpoint', (row) => row.touchpoint_slug],
  ['member_external_id', (row) => row.member_external_id],
  ['member_first_name', (row) => row.member_first_name],
  ['member_last_name', (row) => row.member_last_name],
  ['member_email', (row) => row.member_email],
  ['recipient_first_name', (row) => row.recipient_first_name],
  ['recipient_last_name', (row) => row.recipient_last_name],
  ['recipient_phone', (row) => row.recipient_phone],
  ['reference_id', (row) => row.reference_id],
  ['sent_by', (row) => row.responsibility],
  ['requested_at', (row) => row.created_at],
  ['expires_at', (row) => row.expires_at],
  ['recorded_at', (row) => row.recorded_at],
  ['sent_at', (row) => row.sent_at],
  ['opened_at', (row) => row.opened_at],
  ['watched_at', (row) => row.watched_at],
  ['watched_percent', (row) => row.watched_percent],
  ['cancelled_at', (row) => row.cancelled_at],
];

function readDays(text: unknown): OverviewDays {
  const days = OVERVIEW_DAYS.find((one) => String(one) === text);
  if (days === undefined) throw invalid('days', `must be one of ${OVERVIEW_DAYS.join(', ')}`);
  return days;
}

/** Streams the period's intros as CSV, one per line. */
export function registerExport(app: FastifyInstance, { db, clock }: ConsoleDeps, access: ConsoleAccess): void {
  app.get<{ Querystring: { days?: string } }>(
    '/console/export/intros.csv',
    { config: { operation: 'console_export' } },
    async (request, reply) => {
      const user = await access.admit(request, 'manager');
      const { tenant } = user;
      const days = readDays(request.query.days);
      const organization = await requireOrganization(db.kysely, tenant);
      const now = clock();
      const dates = datesUntil(now, days, organization.timezone);
      const [first = '', last = ''] = [dates[0], dates.at(-1)];
      const from = idBound('int', startOfDate(first, organization.timezone));
      // Excludes intros that are created during the export.
      const until = idBound('int', new Date(now.getTime() + 1));
      await recordExport({ db }, request, user, 'intros');
      keepPrivate(reply)
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="intros-${first}-to-${last}.csv"`);
      return reply.send(Readable.from(writeCsv(COLUMNS, readExportPages(db, tenant, { from, until }))));
    },
  );
}
