/**
 * For statements that resolve keys on the way: a lateral join on the row `i`, which holds the tenant and the key. `k` is what
 * the key was bound to, if it was. `offset 0` keeps it a look-up for each row, whatever the planner believes of the table.
 */
export const FIND_BOUND_KEY = `
  left join lateral (
    select fingerprint, object_id, response from idempotency_keys
    where organization_id = i.organization_id and environment = i.environment and key = i.key offset 0
  ) k on true`;
