import { Readable } from 'node:stream';
import { OVERVIEW_DAYS, type OverviewDays } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { CSV_COLUMNS, type IntroFields, readExportPages } from '../../intros/index.ts';
import { type CsvColumns, type CsvValue, writeCsv } from '../../platform/csv.ts';
import { invalid } from '../../platform/errors.ts';
import { idBound } from '../../platform/ids.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import { recordExport } from '../activity/export.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireOrganization } from '../organization.ts';
import { datesUntil, startOfDate } from './rules.ts';

const COLUMNS: CsvColumns<IntroFields> = CSV_COLUMNS.map(([heading, name]) => [
  heading,
  (row) => row[name] as CsvValue,
]);

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
      return reply.send(Readable.from(writeCsv(COLUMNS, readExportPages(db.kysely, tenant, { from, until }))));
    },
  );
}
