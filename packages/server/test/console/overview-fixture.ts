import { idBound } from '../../src/platform/ids.ts';
import { openService } from '../harness/open-service.ts';
import { openConsole } from './console-client.ts';

export const ZONE = 'America/Chicago';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const ago = (ms: number) => new Date(Date.now() - ms);

export interface Past {
  readonly requestedAt: Date;
  readonly member?: string;
  readonly slug?: string | null;
  readonly status?: string;
  /** Time after the request. */
  readonly recordedMs?: number;
  readonly sent?: boolean;
  readonly opened?: boolean;
  readonly watched?: boolean;
  readonly expiresAt?: Date;
  readonly firstName?: string;
}

export type OverviewFixture = Awaited<ReturnType<typeof openOverview>>;
export type OverviewTeam = Awaited<ReturnType<OverviewFixture['newTeam']>>;

/** A service whose organizations get past intros, which no API call can create. */
export async function openOverview() {
  const fixture = await openService();
  const { database, service, environment, organization } = fixture;
  let created = 0;
  const newId = (prefix: string, at: Date) => `${idBound(prefix, at)}${String(++created).padStart(16, '0')}`;
  const signIn = (org: string, email: string) => openConsole({ url: service.url, environment }, { org, email });

  const addMember = async (org: string, email: string, role = 'member', lastName = 'Diaz') => {
    const id = newId('mem', new Date());
    await database.sql`insert into members (organization_id, environment, id, first_name, last_name, email, role, created_at)
       values (${org}, 'test', ${id}, 'Bo', ${lastName}, ${email}, ${role}, now())`;
    return id;
  };

  /** A new organization with a signed-in manager and a member who gets the intros. */
  const newTeam = async () => {
    const id = newId('org', new Date());
    await database.sql`insert into organizations (id, name, industry, timezone, created_at)
       values (${id}, 'Another', 'exterior_remodeling', ${ZONE}, now())`;
    await database.sql`insert into touchpoints (organization_id, environment, id, slug, name, context, lane, position, active, delivery,
         page_title, script, created_at, updated_at, minutes_to_record)
       select ${id}, environment, id, slug, name, context, lane, position, active, delivery, page_title, script, created_at,
         updated_at, minutes_to_record
       from touchpoints where organization_id = ${organization.id}`;
    const memberId = await addMember(id, 'ana@acme.example', 'member', 'Ng');
    await addMember(id, 'boss@acme.example', 'manager');
    return { id, memberId, client: await signIn(id, 'boss@acme.example') };
  };

  const addIntro = async (org: { id: string; memberId: string }, past: Past) => {
    const {
      requestedAt,
      member = org.memberId,
      slug = 'new_appointment',
      status = 'requested',
      firstName = 'Dana',
    } = past;
    const id = newId('int', requestedAt);
    const after = (is: boolean | undefined) => (is === true ? new Date(requestedAt.getTime() + 2 * HOUR) : null);
    const recordedAt = past.recordedMs === undefined ? null : new Date(requestedAt.getTime() + past.recordedMs);
    await database.query(
      `insert into intros (organization_id, environment, id, status, touchpoint_slug, member_id, recipient_first_name,
       recipient_phone, instructed, responsibility, metadata, created_at, expires_at, recorded_at, sent_at, opened_at, watched_at)
     values ($1, 'test', $2, $3, $4, $5, $6, '+14155550123', false, 'integration', '{}', $7, $8, $9, $10, $11, $12)`,
      [
        ...[org.id, id, status, slug, member, firstName, requestedAt, past.expiresAt ?? null, recordedAt],
        ...[after(past.sent), after(past.opened), after(past.watched)],
      ],
    );
    return id;
  };

  return { ...fixture, newTeam, addMember, addIntro, signIn };
}
