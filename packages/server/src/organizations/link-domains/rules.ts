import { DAY_MS, HOUR_MS, type LinkDomainState, MINUTE_MS } from '@foreword/contract';
import { readAddress } from '../../platform/client-address.ts';

/** Nodes know a new host after this time at the latest, so no link with it is created before. */
export const KNOWN_EVERYWHERE_MS = 10_000;
/** For so long, new links still use a domain that fails: a restart of its proxy is no reason to change them. */
export const TOLERATED_FAILURE_MS = 600_000;
/** Keeps `check` from sending requests to others in quick succession. */
export const MIN_CHECK_GAP_MS = 5_000;

const ACTIVE_INTERVAL_MS = 5 * MINUTE_MS;
/** How long something has not worked, and how often it is checked then: someone is probably waiting at first. */
const BACKOFF: readonly (readonly [forMs: number, intervalMs: number])[] = [
  [15 * MINUTE_MS, 15_000],
  [HOUR_MS, MINUTE_MS],
  [DAY_MS, 10 * MINUTE_MS],
  [30 * DAY_MS, HOUR_MS],
];

/** The part of a row that decides when it is checked next. */
interface Checked {
  readonly state: LinkDomainState | 'removed';
  readonly created_at: Date;
  readonly verified_at: Date | null;
  readonly failing_since: Date | null;
}

const sinceOf = ({ state, created_at, verified_at, failing_since }: Checked): Date =>
  (state === 'failing' ? failing_since : state === 'verified' ? verified_at : null) ?? created_at;

/** Null when a claim was not proven for a month: it is then checked only on request. */
export function nextCheckAt(row: Checked, now: Date): Date | null {
  const after = (ms: number) => new Date(now.getTime() + ms);
  if (row.state === 'active') return after(ACTIVE_INTERVAL_MS);
  const lastedMs = now.getTime() - sinceOf(row).getTime();
  const [, intervalMs] = BACKOFF.find(([forMs]) => lastedMs < forMs) ?? [];
  if (intervalMs !== undefined) return after(intervalMs);
  return row.state === 'pending' ? null : after(DAY_MS);
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const MAX_HOST_LENGTH = 253;

/** The host in lower case and ASCII, or what is wrong with it, as the rest of a sentence that starts with the field. */
export function readHost(text: string, serviceHost: string): { readonly host: string } | { readonly problem: string } {
  if (/[\s/\\?#@:%[\]]/.test(text)) return { problem: 'must be a host name only, without scheme, port and path' };
  const host = URL.parse(`https://${text}`)?.hostname.replace(/\.$/, '') ?? '';
  if (readAddress(host) !== null) return { problem: 'must be a host name, not an IP address' };
  const labels = host.split('.');
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label));
  if (!isName || host.length > MAX_HOST_LENGTH || /^\d+$/.test(labels.at(-1) ?? '')) {
    return { problem: 'must be a host name with at least two parts, such as go.acme.example' };
  }
  if (host === 'localhost' || host.endsWith('.localhost')) return { problem: 'must not be a name of this machine' };
  return host === serviceHost ? { problem: 'must not be the host of this service' } : { host };
}

/** The host of a `Host` header, in lower case and without its port. */
export const hostOfHeader = (header: string): string => header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

const PAGE_PATH = /^\/[0-9A-Za-z]{10}(?:\/[^/?]*)?$/;
const ONE_SEGMENT = /^\/([^/?]*)$/;
export const REACH_PATH = '/.well-known/foreword-reach';
const NOTHING = '/i/-/-/-';

/**
 * The path within the service of a request on a link domain: a recipient's page and its files, which have no `/i` there. A wrong
 * link leads to the page that says so, and everything else to no route at all.
 */
export function pathOnLinkDomain(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  if (PAGE_PATH.test(path)) return `/i${url}`;
  if (path === REACH_PATH) return url;
  const [, segment] = ONE_SEGMENT.exec(path) ?? [];
  return segment === undefined ? NOTHING : `/i/${segment || '-'}`;
}

export const recordNameOf = (host: string): string => `_foreword.${host}`;
export const fileUrlOf = (host: string): string => `http://${host}/.well-known/foreword-domain`;
export const proofOf = (challenge: string): string => `foreword-domain=${challenge}`;
