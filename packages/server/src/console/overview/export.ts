import { Readable } from 'node:stream';
import { OVERVIEW_DAYS, type OverviewDays } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { type ExportRow, readExportPages } from '../../intros/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { Database } from '../../platform/db.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { idBound } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { datesUntil, startOfDate } from './rules.ts';

/** Spreadsheets treat a cell that starts with one of these as a formula, which could leak the sheet's data. */
const FORMULA = /^[=+\-@\t\r]/;
/** Numbers and phone numbers cannot call a function. */
const HARMLESS = /^[+-]?\d+(\.\d+)?$/;

function writeCell(value: string | number | Date | null): string {
  if (value === null) return '';
  const text = value instanceof Date ? value.toISOString() : String(value);
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of RFC 4180, with formulas defused. */
const writeLine = (values: readonly (string | number | Date | null)[]): string =>
  `${values.map(writeCell).join(',')}\r\n`;

/** Excel needs it to read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

const COLUMNS: readonly (readonly [name: string, read: (row: ExportRow) => string | number | Date | null])[] = [
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

async function* writeIntros(db: Database<Tables>, tenant: Tenant, ids: { from: string; until: string }) {
  yield BYTE_ORDER_MARK + writeLine(COLUMNS.map(([name]) => name));
  for await (const rows of readExportPages(db, tenant, ids)) {
    yield rows.map((row) => writeLine(COLUMNS.map(([, read]) => read(row)))).join('');
  }
}

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
      const { tenant } = await access.admit(request, 'manager');
      const days = readDays(request.query.days);
      const organization = await findOrganization(db.kysely, tenant.organizationId);
      if (organization === null) throw new ApiError('not_found', 'This organization no longer exists.');
      const now = clock();
      const dates = datesUntil(now, days, organization.timezone);
      const [first = '', last = ''] = [dates[0], dates.at(-1)];
      const from = idBound('int', startOfDate(first, organization.timezone));
      // Excludes intros that are created during the export.
      const until = idBound('int', new Date(now.getTime() + 1));
      keepPrivate(reply)
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="intros-${first}-to-${last}.csv"`);
      return reply.send(Readable.from(writeIntros(db, tenant, { from, until })));
    },
  );
}
