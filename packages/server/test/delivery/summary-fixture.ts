import { registerSummaryOff } from '../../src/console/summary.ts';
import type { Tenant } from '../../src/db/tenancy.ts';
import { createServer } from '../../src/http/server.ts';
import { idBound } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { openInbox } from '../console/inbox.ts';
import { LOG_ONLY, openDelivery } from './delivery-fixture.ts';

export interface PastIntro {
  readonly at: string;
  readonly status?: string;
  readonly recordedAt?: string;
  readonly sentAt?: string;
  readonly watchedAt?: string;
  readonly repliedAt?: string;
  readonly cancelledAt?: string;
  readonly expiresAt?: string;
  readonly name?: string;
  readonly source?: string;
}

export type SummaryFixture = Awaited<ReturnType<typeof openSummaries>>;

/** The delivery module with a mail server, and organizations with past intros. */
export async function openSummaries(start: string) {
  const inbox = await openInbox();
  const fixture = await openDelivery(start, { ...LOG_ONLY, mail: inbox.server });
  const { database } = fixture;
  let created = 0;
  const idAt = (prefix: string, at: Date) => `${idBound(prefix, at)}${String(++created).padStart(16, '0')}`;

  const addOwner = (tenant: Tenant, name: string, changes?: { role?: string; active?: boolean }) =>
    fixture.addMember(tenant, { first_name: name, email: `${name.toLowerCase()}@acme.example`, ...changes });

  return {
    ...fixture,
    inbox,
    emailsTo: (address: string) => inbox.emails.filter(({ to }) => to === address),
    addOwner,
    /** An organization with one owner, whose email has the given name. */
    async newOrganization(name: string, timezone: string) {
      const { tenant } = await fixture.createOrganization({ name: `${name} Roofing`, timezone });
      await addOwner(tenant, name);
      return tenant;
    },
    async addIntro(tenant: Tenant, intro: PastIntro) {
      const { at, status = 'sent', name = 'Dana' } = intro;
      const id = idAt('int', new Date(at));
      await database.query(
        `insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_last_name,
           recipient_phone, instructed, responsibility, metadata, created_at, recorded_at, sent_at, watched_at, cancelled_at,
           expires_at, reference)
         select $1, 'test', $2, $3, id, $4, 'Reyes', '+14155550123', false, 'integration', '{}', $5, $6, $7, $8, $9, $10,
           json_build_object('source', $11::text)
         from members where organization_id = $1 order by id limit 1`,
        [
          ...[tenant.organizationId, id, status, name, at, intro.recordedAt ?? null, intro.sentAt ?? null],
          ...[intro.watchedAt ?? null, intro.cancelledAt ?? null, intro.expiresAt ?? null, intro.source ?? 'jobs'],
        ],
      );
      if (intro.repliedAt !== undefined) {
        await database.query(
          `insert into intro_replies (organization_id, environment, intro_id, number, type, label, created_at)
           values ($1, 'test', $2, 1, 'thanks', 'Thank you', $3)`,
          [tenant.organizationId, id, intro.repliedAt],
        );
      }
      return id;
    },
    rows: () =>
      database.query<{ id: string; address: string; status: string; error_message: string | null; body: string }>(
        "select id, address, status, error_message, body from owner_emails where purpose = 'weekly_summary' order by address",
      ),
    /** The page that turns the summary off. */
    serveOffPage() {
      const app = createServer({
        log: createLogger('silent'),
        clock: fixture.now,
        metrics: createMetrics(),
        publicUrl: 'https://go.acme.example',
        trustsProxy: () => false,
      });
      registerSummaryOff(app, { db: fixture.db, clock: fixture.now, delivery: fixture.delivery });
      return app;
    },
    async close() {
      await fixture.close();
      await inbox.close();
    },
  };
}
