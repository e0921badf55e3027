import type { TableName } from '../../db/tables.ts';
import { noticeBefore } from '../../http/access/index.ts';
import type { LinkKind } from '../../intros/links/index.ts';
import type { Row } from './format.ts';

const UNKNOWN = 'The organization was imported. The other installation may have sent this.';
const UNPROCESSED = 'The organization was imported before this was processed. Retry it in the console.';

/** Values that need another server key than the one of the archive. */
export interface Resealing {
  linkHash(kind: LinkKind, introId: string, generation: number): string;
  newWebhookSecret(organizationId: string, endpointId: string): string;
}

export interface ImportContext {
  readonly now: string;
  /** Intros whose text to the recipient was pending. */
  readonly unsentIntros: ReadonlySet<string>;
  /** Generations of members' links by intro. An intro without an entry has its first link. */
  readonly linkGenerations: ReadonlyMap<string, number>;
  /** Null with the same server key. */
  readonly resealing: Resealing | null;
}

const isExpiringSoon = ({ expires_at: at, expiry_notified_at: notifiedAt }: Row, now: string): boolean =>
  typeof at === 'string' && notifiedAt === null && new Date(at) <= noticeBefore(new Date(now));

const isPending = (status: unknown): boolean => status === 'scheduled' || status === 'sending';

function settleTake(row: Row, now: string): Row | null {
  if (row.status === 'uploading') {
    return { status: 'discarded', parts: [], deleted_at: now, original_deleted_at: now, touched_at: now };
  }
  if (row.status !== 'uploaded' && row.status !== 'processing') return null;
  const refusal = { refusal_code: 'processing_failed', refusal_message: UNPROCESSED };
  return { ...refusal, status: 'refused', progress: 0, retry_at: null, touched_at: now, files_check_at: now };
}

const settleEvent = ({ status }: Row, now: string): Row | null =>
  status === 'accepted'
    ? { status: 'failed', settled_at: now, error_code: 'processing_failed', error_message: UNPROCESSED }
    : null;

const settleMessage = ({ status }: Row, now: string): Row | null =>
  isPending(status)
    ? {
        ...{ status: 'failed', settled_at: now, error_code: 'unknown_outcome', error_message: UNKNOWN },
        ...{ held_for: null, held_until: null },
      }
    : null;

const settleIntro = (row: Row, { unsentIntros }: ImportContext): Row => ({
  // The domain may lead elsewhere. Links that were sent with it work again once it is verified here.
  ...(typeof row.link_host === 'string' && { link_host: null }),
  ...(row.status === 'ready' &&
    row.delivery_error_code === null &&
    unsentIntros.has(String(row.id)) && { delivery_error_code: 'unknown_outcome', delivery_error_message: UNKNOWN }),
});

/** The organization must prove its domains to this installation, too. */
const settleDomain = ({ state }: Row, now: string): Row => ({
  ...(state === 'removed' ? { check_at: null } : { state: 'pending', check_at: now }),
  ...{ verified_at: null, active_at: null, failing_since: null },
  ...{ checked_at: null, failure_code: null, failure_message: null },
});

/**
 * The changes to an imported row that keep anything from being sent twice: the other installation may have sent a pending
 * message, or may still send it. Users decide what to send again.
 */
function settle(table: TableName, row: Row, context: ImportContext): Row | null {
  const { now } = context;
  switch (table) {
    case 'touchpoint_events':
      return settleEvent(row, now);
    case 'intros':
      return settleIntro(row, context);
    case 'recordings':
      return settleTake(row, now);
    case 'messages':
      return settleMessage(row, now);
    case 'owner_emails':
      return row.status === 'scheduled' ? { status: 'failed', settled_at: now, error_message: UNKNOWN } : null;
    case 'link_domains':
      return settleDomain(row, now);
    case 'webhook_endpoints':
      return { active: false };
    case 'webhook_deliveries':
      return row.status === 'pending' ? { status: 'failed', due_at: null } : null;
    case 'api_keys':
      // The other installation has notified the owners, or is about to.
      return isExpiringSoon(row, now) ? { expiry_notified_at: now } : null;
    default:
      return null;
  }
}

/** With another server key, links get other addresses, and secrets that can no longer be read are replaced or removed. */
function reseal(table: TableName, row: Row, { linkGenerations, resealing }: ImportContext): Row | null {
  if (resealing === null) return null;
  const [organizationId, id, introId] = [row.organization_id, row.id, row.intro_id].map(String) as [
    string,
    string,
    string,
  ];
  switch (table) {
    case 'links': {
      const kind = row.kind as LinkKind;
      const generation = kind === 'record' ? (linkGenerations.get(introId) ?? 0) : 0;
      return { hash: resealing.linkHash(kind, introId, generation) };
    }
    case 'replaced_links':
      return { hash: resealing.linkHash('record', introId, Number(row.generation)) };
    case 'webhook_endpoints':
      return {
        secret: resealing.newWebhookSecret(organizationId, id),
        previous_secret: null,
        previous_secret_expires_at: null,
      };
    case 'delivery_settings':
      return { twilio_account: null };
    case 'idempotency_keys':
      // The response contains the encrypted secret of a webhook endpoint.
      return String(row.object_id).startsWith('whk_') ? { response: null } : null;
    default:
      return null;
  }
}

/** Null if the row is imported as it is. */
export function changesOf(table: TableName, row: Row, context: ImportContext): Row | null {
  const changes = { ...settle(table, row, context), ...reseal(table, row, context) };
  return Object.keys(changes).length === 0 ? null : changes;
}
