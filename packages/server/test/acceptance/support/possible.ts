// biome-ignore lint/suspicious/noExplicitAny: reads objects of the API freely, like an integrator's script.
type Body = any;

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const READY_LIFE_MS = 30 * 86_400_000;

/** An id starts with its time of creation. */
function createdAt(id: string): string {
  const time = id.slice(id.indexOf('_') + 1).slice(0, 10);
  return new Date([...time].reduce((sum, digit) => sum * 32 + DIGITS.indexOf(digit), 0)).toISOString();
}

/** For each status: fields that are set, and fields that are null. */
const FIELDS: Record<string, [set: string[], missing: string[]]> = {
  requested: [['expires_at'], ['recipient_url', 'recorded_at', 'sent_at', 'opened_at', 'watched_at', 'cancelled_at']],
  ready: [
    ['recipient_url', 'recorded_at', 'expires_at'],
    ['sent_at', 'opened_at', 'watched_at', 'cancelled_at'],
  ],
  sent: [
    ['recipient_url', 'recorded_at', 'sent_at'],
    ['expires_at', 'cancelled_at', 'scheduled_for', 'reason', 'error'],
  ],
  cancelled: [['cancelled_at'], ['expires_at', 'sent_at', 'opened_at', 'watched_at', 'scheduled_for', 'reason']],
  expired: [['expires_at'], ['sent_at', 'opened_at', 'watched_at', 'cancelled_at', 'scheduled_for', 'reason']],
};

/** Reasons why the service could not return this intro; empty if it could. */
export function problemsOfIntro(intro: Body): string[] {
  const { delivery } = intro;
  const fields = { ...delivery, ...intro };
  const [set = [], missing = []] = FIELDS[intro.status] ?? [];
  const steps = [intro.created_at, intro.recorded_at, intro.sent_at, intro.opened_at, intro.watched_at].filter(Boolean);
  // Opening an unsent page sends the intro in the same change.
  const changes = new Set(steps).size - 1 + (['cancelled', 'expired'].includes(intro.status) ? 1 : 0);
  const rules: [problem: string, holds: boolean][] = [
    ...set.map((field): [string, boolean] => [`${field} is not set`, fields[field] !== null]),
    ...missing.map((field): [string, boolean] => [`${field} is set`, fields[field] === null]),
    ['has a link without a video', (delivery.recipient_url === null) === (intro.recorded_at === null)],
    ['has media without a video', intro.media === null || delivery.recipient_url === intro.media.page_url],
    ['its steps are out of order', String(steps) === String(steps.toSorted())],
    ['was watched but not opened', intro.watched_at === null || intro.opened_at !== null],
    ['has fewer versions than changes', intro.version > changes],
    ['its id has another time', createdAt(intro.id) === intro.created_at],
    ['waits for a text of the integration', delivery.responsibility === 'service' || delivery.reason === null],
    ['a scheduled text has no reason or failed', delivery.scheduled_for === null || delivery.error === null],
    [
      'reason and error differ',
      intro.status !== 'ready' || delivery.error === null || delivery.error.code === delivery.reason,
    ],
    [
      'expires at another time than 30 days after the recording',
      intro.status !== 'ready' || Date.parse(intro.expires_at) - Date.parse(intro.recorded_at) === READY_LIFE_MS,
    ],
    ['expires before it was created', intro.expires_at === null || intro.expires_at > intro.created_at],
  ];
  return rules.filter(([, holds]) => !holds).map(([problem]) => `${intro.status} ${intro.id}: ${problem}`);
}

/** Reasons why the service could not return this event. */
export function problemsOfEvent(event: Body): string[] {
  const isRetrieved = event.resolved !== undefined;
  const rules: [problem: string, holds: boolean][] = [
    ['its id has another time', createdAt(event.id) === event.created_at],
    ['a retrieved event is a duplicate', !isRetrieved || event.status !== 'duplicate'],
    ['a receipt has a result', isRetrieved || ['accepted', 'duplicate'].includes(event.status)],
    ['intro does not fit', !isRetrieved || (event.intro !== null) === (event.status === 'processed')],
    ['error does not fit', (event.error !== undefined) === (event.status === 'failed')],
    ['was matched to another touchpoint', !isRetrieved || event.resolved.touchpoint.slug === event.touchpoint],
  ];
  return rules.filter(([, holds]) => !holds).map(([problem]) => `${event.status} ${event.id}: ${problem}`);
}

/** A list is newest first, without repetitions. Touchpoints have the organization's order, and steps are oldest first. */
export function problemsOfList({ data }: Body): string[] {
  const ids: string[] = data.flatMap(({ object, id }: Body) =>
    object === 'touchpoint' || id === undefined ? [] : [id],
  );
  const times: string[] = data.flatMap(({ at }: Body) => (at === undefined ? [] : [at]));
  return [
    ...(new Set(ids).size === ids.length ? [] : [`an object appears twice in ${ids}`]),
    ...(String(ids) === String(ids.toSorted().reverse()) ? [] : [`not newest first: ${ids}`]),
    ...(String(times) === String(times.toSorted()) ? [] : [`not oldest first: ${times}`]),
  ];
}

/** Every object within a value, of any depth. */
export function objectsIn(value: unknown): Body[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];
}
