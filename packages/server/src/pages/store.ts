import type { ConsentSource, IntroStatus } from '@foreword/contract';
import { type Language, ORGANIZATION_BRAND_FIELDS, type OrganizationBrand, parseShown } from '@foreword/contract';
import { planned } from '../db/statements.ts';
import { type Database, queryForTenant, type Tenant } from '../db/tenancy.ts';
import { sha256 } from '../platform/seal.ts';

/** Everything a page shows. Compared as JSON text to tell whether a cached page is current. */
export interface Snapshot {
  readonly title: string | null;
  readonly is_taken_down: boolean;
  readonly is_withdrawn: boolean;
  /** The recipient's last reply. */
  readonly reply: { readonly label: string } | null;
  readonly opt_out: { readonly source: ConsentSource; readonly at: string } | null;
  /** The organization's own account of texts, encrypted, if the service texts the recipient. */
  readonly texting: { readonly account: string | null } | null;
  readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
  readonly created_at: string;
  readonly recipient_first_name: string;
  /** The recipient's. */
  readonly language: Language;
  readonly member: {
    readonly first_name: string;
    readonly last_name: string;
    readonly title: string | null;
    readonly phone: string | null;
    /** Object key, as for the logo. */
    readonly photo: string | null;
    readonly has_left: boolean;
  };
  readonly organization: OrganizationBrand & { readonly logo: string | null };
  readonly action: { readonly label: string | null; readonly url: string | null } | null;
  readonly recording: {
    readonly id: string;
    readonly width: number | null;
    readonly height: number | null;
    readonly duration_ms: number | null;
    readonly captions_language: Language | null;
    readonly has_preview: boolean;
  } | null;
}

export interface PageRow {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly status: IntroStatus;
  readonly sentAt: Date | null;
  readonly openedAt: Date | null;
  readonly erasedAt: Date | null;
  readonly watchedPercent: number;
  readonly clickedTimes: object | null;
  /** The organization does not keep the video this long. */
  readonly isVideoRemoved: boolean;
  /** A Snapshot as JSON. */
  readonly snapshot: string;
}

type Columns = Omit<PageRow, 'tenant'> & Tenant;

const ORGANIZATION_FIELDS = [...ORGANIZATION_BRAND_FIELDS, 'logo'].map((field) => `'${field}', o.${field}`).join(', ');

/** The column in the recipient's language, if it has a value there. */
const shownColumn = (column: 'm.title' | 't.action_label') =>
  `case i.recipient_language when 'es' then coalesce(${column}_es, ${column}) else ${column} end`;

const SELECT_SNAPSHOT = `
select i.organization_id as "organizationId", i.environment, i.id as "introId", i.status, i.sent_at as "sentAt", i.opened_at as "openedAt",
  i.erased_at as "erasedAt", i.watched_percent as "watchedPercent",
  i.clicked_times as "clickedTimes",
  i.status = 'sent' and r.deleted_at is not null and i.taken_down_at is null and m.pages_replaced_at is null as "isVideoRemoved",
  json_build_object(
    'title', i.context -> 'title', 'is_taken_down', i.taken_down_at is not null,
    'is_withdrawn', i.likeness_withdrawn_at is not null or m.likeness_withdrawn_at is not null,
    'reply', case when reply.label is not null then json_build_object('label', reply.label) end,
    'opt_out', case when opt_out.source is not null then json_build_object('source', opt_out.source, 'at', opt_out.opted_out_at) end,
    'texting', case when i.responsibility = 'service' then json_build_object('account', encode(s.twilio_account, 'base64')) end,
    'appointment', i.context -> 'appointment', 'created_at', i.created_at,
    'recipient_first_name', i.recipient_first_name, 'language', i.recipient_language,
    'member', json_build_object('first_name', m.first_name, 'last_name', m.last_name,
      'title', ${shownColumn('m.title')}, 'phone', m.phone, 'photo', m.photo, 'has_left', m.pages_replaced_at is not null),
    'organization', json_build_object(${ORGANIZATION_FIELDS}),
    'action', case when t.action_url is not null and t.shows_action
      then json_build_object('label', ${shownColumn('t.action_label')}, 'url', t.action_url) end,
    'recording', case when r.id is not null then json_build_object('id', r.id, 'width', r.width, 'height', r.height,
      'duration_ms', r.duration_ms, 'captions_language', case when r.has_captions then i.script_language end, 'has_preview', r.has_preview) end
  )::text as snapshot`;

const SOURCES = `
join organizations o on o.id = i.organization_id
join members m on m.organization_id = i.organization_id and m.id = i.member_id
left join delivery_settings s on s.organization_id = i.organization_id and s.environment = i.environment
left join opt_outs opt_out
  on opt_out.organization_id = i.organization_id and opt_out.environment = i.environment and opt_out.phone = i.recipient_phone
left join touchpoints t
  on t.slug = i.touchpoint_slug and t.organization_id = i.organization_id and t.environment = i.environment
left join recordings r on r.organization_id = i.organization_id and r.id = i.recording_id
left join lateral (
  select label from intro_replies
  where organization_id = i.organization_id and intro_id = i.id and i.opened_at is not null and not by_text
  order by number desc limit 1
) reply on true`;

const FIND_BY_TOKENS = planned(`${SELECT_SNAPSHOT}, requested.n::int
from unnest($1::bytea[]) with ordinality as requested(hash, n)
join links l on l.hash = requested.hash and l.kind in ('page', 'short')
join intros i on i.organization_id = l.organization_id and i.environment = l.environment and i.id = l.intro_id
${SOURCES}`);

const FIND_BY_INTRO = planned(`${SELECT_SNAPSHOT}
from intros i
${SOURCES}
where i.organization_id = $1 and i.environment = $2 and i.id = $3`);

export const readSnapshot = (row: PageRow): Snapshot => parseShown(row.snapshot) as Snapshot;

const toRow = ({ organizationId, environment, ...row }: Columns): PageRow => ({
  tenant: { organizationId, environment },
  ...row,
});

/** One row per token, in the same order; null for an unknown token. */
export async function findByTokens({ pool }: Database, tokens: readonly string[]): Promise<(PageRow | null)[]> {
  const { rows } = await pool.query<Columns & { n: number }>(FIND_BY_TOKENS, [tokens.map(sha256)]);
  const found: (PageRow | null)[] = tokens.map(() => null);
  for (const { n, ...row } of rows) found[n - 1] = toRow(row);
  return found;
}

export async function findByIntro({ pool }: Database, tenant: Tenant, introId: string): Promise<PageRow | null> {
  const [row] = (await queryForTenant<Columns>(pool, tenant, FIND_BY_INTRO, [introId])).rows;
  return row === undefined ? null : toRow(row);
}

const FIND_REMOVED = planned(`select o.name, o.accent, o.office_phone, o.language
from links l
join organizations o on o.id = l.organization_id
where l.hash = $1 and l.kind in ('page', 'short') and l.organization_id = coalesce($2, l.organization_id)
  and not exists (select from intros i where i.organization_id = l.organization_id and i.id = l.intro_id)`);

export type RemovedPage = Pick<OrganizationBrand, 'name' | 'accent' | 'office_phone' | 'language'>;

/** The organization of a page whose intro was removed; null for an unknown link, or one of another organization. */
export async function findRemoved(
  { pool }: Database,
  token: string,
  organizationId: string | null,
): Promise<RemovedPage | null> {
  const { rows } = await pool.query<RemovedPage>(FIND_REMOVED, [sha256(token), organizationId]);
  return rows[0] ?? null;
}
