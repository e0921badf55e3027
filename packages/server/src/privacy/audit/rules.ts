import {
  AUDIT_ACTIONS,
  AUDIT_DAYS,
  type AuditAction,
  type AuditGroup,
  auditGroupOf,
  DAY_MS,
  OWNER_AUDIT_GROUPS,
  type Role,
} from '@foreword/contract';

/** Longer user agents are cut: the rest never identifies a browser. */
export const USER_AGENT_MAX_LENGTH = 300;

/** The names of the fields whose values differ. */
export function changedFields<Row extends object>(before: Row, change: Partial<Row>): string[] {
  const text = (value: unknown): string => JSON.stringify(value ?? null);
  return (Object.keys(change) as (keyof Row & string)[]).filter(
    (name) => change[name] !== undefined && text(change[name]) !== text(before[name]),
  );
}

export const keptDays = (days: number | null): number => days ?? AUDIT_DAYS.default;

/** Entries before this start of a day (UTC) are deleted. */
export function retainedFrom(now: Date, days: number | null): Date {
  const oldest = now.getTime() - keptDays(days) * DAY_MS;
  return new Date(oldest - (oldest % DAY_MS));
}

const isVisible = (role: Role, action: AuditAction): boolean =>
  role === 'owner' || !OWNER_AUDIT_GROUPS.includes(auditGroupOf(action));

/** The chosen actions that the role may see. Null: all actions. */
export function visibleActions(
  role: Role,
  { group, action }: { readonly group?: AuditGroup | undefined; readonly action?: AuditAction | undefined },
): readonly AuditAction[] | null {
  if (role === 'owner' && group === undefined && action === undefined) return null;
  return AUDIT_ACTIONS.filter(
    (one) =>
      isVisible(role, one) &&
      (group === undefined || auditGroupOf(one) === group) &&
      (action === undefined || one === action),
  );
}
