export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Creation = 'touchpoint-events' | 'intros';

const MEMBER = { external_id: 'rep_17' };
const RECIPIENT = { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' };
const REFERENCE = { source: 'acme_crm', type: 'appointment', id: 'appt_8812' };
const APPOINTMENT = { starts_at: '2030-03-12T14:30:00-05:00', timezone: 'America/Chicago' };
const METADATA = { crm_owner: 'west', priority: 2, vip: true };

/** Bodies with every field that the operation knows. */
const COMPLETE: Record<Creation, JsonObject> = {
  'touchpoint-events': {
    touchpoint: 'on_my_way',
    occurred_at: '2026-03-10T09:15:00Z',
    member: MEMBER,
    recipient: RECIPIENT,
    reference: REFERENCE,
    context: { appointment: APPOINTMENT, trade: 'roofing', lane: 'retail' },
    metadata: METADATA,
  },
  intros: {
    member: MEMBER,
    recipient: RECIPIENT,
    reference: REFERENCE,
    context: { title: 'Ana from Acme Roofing has a message for you', appointment: APPOINTMENT },
    instructions: { script: 'Hi Dana, this is Ana.\nSee you on Thursday.' },
    delivery: { responsibility: 'integration' },
    metadata: METADATA,
  },
};

export const CREATIONS: readonly Creation[] = ['touchpoint-events', 'intros'];

export const completeBody = (creation: Creation): JsonObject => structuredClone(COMPLETE[creation]);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the body with one field replaced, or removed if `value` is undefined. */
export function withField(body: JsonObject, path: string, value: Json | undefined): JsonObject {
  const changed = structuredClone(body);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = changed;
  for (const step of steps) {
    const inner = at[step];
    const next: JsonObject = isObject(inner) ? inner : {};
    at[step] = next;
    at = next;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
  return changed;
}

export function fieldOf(body: Json | undefined, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((at, step) => (isObject(at) ? at[step] : undefined), body);
}
