import type { TouchpointSummary } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';

type Touchpoint = Pick<TouchpointSummary, 'slug' | 'context'>;

/** The values that the snippets use. */
export interface Sample<T extends Touchpoint = Touchpoint> {
  readonly url: string;
  readonly touchpoint: T;
  readonly member: { readonly id: string; readonly external_id?: string | null };
  readonly timezone: string;
  readonly nowMs: number;
}

/** Texts to it are simulated, so that the guide works without a provider, at any hour and more than once. */
const TEST_NUMBER = '+15005550123';
const APPOINTMENT_DAYS_AHEAD = 3;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Differs by member and day, because the API rejects the same idempotency key with another body. */
function recordIdOf({ member, nowMs }: Sample): string {
  return `demo_${dayOf(nowMs).replaceAll('-', '')}_${member.external_id ?? member.id.slice(-6)}`;
}

const idempotencyKeyOf = (sample: Sample): string => `my_crm:${recordIdOf(sample)}:${sample.touchpoint.slug}`;

/** Constant for a day, so that a second run is a duplicate, not a conflict. */
export function eventOf(sample: Sample): object {
  const { touchpoint, member, timezone, nowMs } = sample;
  const { id, external_id } = member;
  const starts_at = `${dayOf(nowMs + APPOINTMENT_DAYS_AHEAD * DAY_MS)}T10:00:00`;
  return {
    touchpoint: touchpoint.slug,
    occurred_at: `${dayOf(nowMs)}T00:00:00Z`,
    member: typeof external_id === 'string' ? { external_id } : { id },
    recipient: { first_name: 'Dana', last_name: 'Reyes', phone: TEST_NUMBER },
    reference: { source: 'my_crm', type: 'appointment', id: recordIdOf(sample) },
    ...(touchpoint.context === 'appointment' && { context: { appointment: { starts_at, timezone } } }),
  };
}

export const eventResponse = (sample: Sample): string =>
  JSON.stringify(
    {
      id: 'evt_…',
      object: 'touchpoint_event',
      status: 'accepted',
      touchpoint: sample.touchpoint.slug,
      reference: { source: 'my_crm', type: 'appointment', id: recordIdOf(sample) },
      environment: 'test',
      created_at: '…',
    },
    null,
    2,
  );

/** Quotes text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const AUTHORIZATION = '-H "Authorization: Bearer $FOREWORD_API_KEY"';
const introsUrl = (sample: Sample): string => quoted(`${sample.url}/v1/intros?reference_id=${recordIdOf(sample)}`);

export const keySnippet = (key: string | null): string => `export FOREWORD_API_KEY=${key ?? 'fw_test_…'}`;

export const CURL = {
  send: (sample: Sample): string =>
    [
      `curl -X POST ${quoted(`${sample.url}/v1/touchpoint-events`)} \\`,
      `  ${AUTHORIZATION} \\`,
      `  -H ${quoted(`Idempotency-Key: ${idempotencyKeyOf(sample)}`)} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${quoted(JSON.stringify(eventOf(sample), null, 2))}`,
    ].join('\n'),
  watch: (sample: Sample): string => `curl ${introsUrl(sample)} ${AUTHORIZATION}`,
  record: (sample: Sample): string =>
    [
      `INTRO=$(curl -s ${introsUrl(sample)} ${AUTHORIZATION} | grep -o 'int_[0-9a-z]*' | head -n 1)`,
      `curl -X POST ${quoted(`${sample.url}/v1/test_helpers/intros/`)}"$INTRO/record" \\`,
      `  ${AUTHORIZATION} -H "Idempotency-Key: my_crm:$INTRO:record"`,
    ].join('\n'),
} as const;
