import { LANES, type Lane, ROLES, type Role } from '@foreword/contract/plain';
import { readTexts } from '../../search-text.ts';

export type MembersStatus = 'active' | 'deactivated' | 'all';

const STATUSES: readonly string[] = ['deactivated', 'all'];

export interface MembersSearch {
  readonly q?: string;
  /** Left out for active members. */
  readonly status?: 'deactivated' | 'all';
  readonly lane?: Lane;
  readonly role?: Role;
  readonly shared?: 'yes';
}

/** Reads the filters from the address bar; ignores unknown values. */
export function readMembersSearch(search: Record<string, unknown>): MembersSearch {
  const { q, status, lane, role, shared } = readTexts(search, ['q', 'status', 'lane', 'role', 'shared']);
  const known = <T extends string>(value: string | undefined, values: readonly string[]) =>
    value !== undefined && values.includes(value) ? (value as T) : undefined;
  const found = {
    q,
    status: known<'deactivated' | 'all'>(status, STATUSES),
    lane: known<Lane>(lane, LANES),
    role: known<Role>(role, ROLES),
    shared: known<'yes'>(shared, ['yes']),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
