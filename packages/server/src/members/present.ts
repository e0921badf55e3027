import type { Member } from '@foreword/contract';
import type { MemberRow } from '../tables.ts';

export function presentMember(row: MemberRow): Member {
  return {
    id: row.id,
    object: 'member',
    external_id: row.external_id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    phone: row.phone,
    lanes: row.lanes,
    active: row.active,
    environment: row.environment,
    created_at: row.created_at.toISOString(),
  };
}
