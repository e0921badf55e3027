import type { Touchpoint } from '@foreword/contract';
import type { TouchpointRow } from '../tables.ts';

export function presentTouchpoint(row: TouchpointRow): Touchpoint {
  return { id: row.id, object: 'touchpoint', slug: row.slug, name: row.name, context: row.context, active: row.active };
}
