import { iso, type LinkDomain } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { fileUrlOf, proofOf, recordNameOf } from './rules.ts';

/** `serviceHost` is the host of PUBLIC_URL. */
export function presentDomain(row: Row<'link_domains'>, serviceHost: string): LinkDomain {
  const { id, host, state, failure_code: code, failure_message: message } = row;
  if (state === 'removed') throw new Error(`the link domain ${id} was removed`);
  const value = proofOf(row.challenge);
  return {
    id,
    object: 'link_domain',
    host,
    state,
    points_to: serviceHost,
    verification: {
      dns: { type: 'TXT', name: recordNameOf(host), value },
      http: { url: fileUrlOf(host), value },
    },
    failure: code === null || message === null ? null : { code, message },
    created_at: row.created_at.toISOString(),
    verified_at: iso(row.verified_at),
    active_at: iso(row.active_at),
    failing_since: iso(row.failing_since),
    checked_at: iso(row.checked_at),
    next_check_at: iso(row.check_at),
    environment: row.environment,
  };
}
