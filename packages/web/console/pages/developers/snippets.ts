import type { TouchpointSummary } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';

/** The values that the snippets use. */
export interface Sample {
  readonly url: string;
  /** Null shows a placeholder. */
  readonly key: string | null;
  readonly touchpoint: Pick<TouchpointSummary, 'slug' | 'context'>;
  readonly member: { readonly id: string; readonly external_id?: string | null };
  readonly timezone: string;
  readonly nowMs: number;
}

/** Texts to it are simulated, so that the guide works without a provider, at any hour and more than once. */
const TEST_NUMBER = '+15005550123';
const APPOINTMENT_DAYS_AHEAD = 3;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A value for a `datetime-local` input. */
export const appointmentAhead = (nowMs: number): string => `${dayOf(nowMs + APPOINTMENT_DAYS_AHEAD * DAY_MS)}T10:00`;

/** Differs by member and day, because the API rejects the same idempotency key with another body. */
function recordIdOf({ member, nowMs }: Sample): string {
  return `demo_${dayOf(nowMs).replaceAll('-', '')}_${member.external_id ?? member.id.slice(-6)}`;
}

const idempotencyKeyOf = (sample: Sample): string => `my_crm:${recordIdOf(sample)}:${sample.touchpoint.slug}`;

/** As an integration names the member. */
export const referTo = ({ id, external_id: externalId }: Sample['member']): object =>
  typeof externalId === 'string' ? { external_id: externalId } : { id };

/** Constant for a day, so that a second run is a duplicate, not a conflict. */
function eventOf(sample: Sample): object {
  const { touchpoint, member, timezone, nowMs } = sample;
  const starts_at = `${appointmentAhead(nowMs)}:00`;
  return {
    touchpoint: touchpoint.slug,
    occurred_at: `${dayOf(nowMs)}T00:00:00Z`,
    member: referTo(member),
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

export const keySnippet = ({ key }: Sample): string => `export FOREWORD_API_KEY=${key ?? 'fw_test_…'}`;

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

const head = (sample: Sample): string =>
  `const url = ${JSON.stringify(sample.url)};
const authorization = \`Bearer \${process.env.FOREWORD_API_KEY}\`;`;

const findIntro = (sample: Sample): string =>
  [
    `const found = await fetch(\`\${url}/v1/intros?reference_id=${recordIdOf(sample)}\`, { headers: { authorization } });`,
    'const [intro] = (await found.json()).data;',
  ].join('\n');

export const TYPESCRIPT = {
  send: (sample: Sample): string =>
    `${head(sample)}

const response = await fetch(\`\${url}/v1/touchpoint-events\`, {
  method: 'POST',
  headers: {
    authorization,
    'idempotency-key': ${JSON.stringify(idempotencyKeyOf(sample))},
    'content-type': 'application/json',
  },
  body: JSON.stringify(${JSON.stringify(eventOf(sample), null, 2).replaceAll('\n', '\n  ')}),
});
// On 429, on 5xx, and if there is no response, retry with the same idempotency key.
console.log(response.status, await response.json());
`,
  watch: (sample: Sample): string =>
    `${head(sample)}

${findIntro(sample)}
console.log(intro.status, intro.delivery.recipient_url);
`,
  record: (sample: Sample): string =>
    `${head(sample)}

${findIntro(sample)}
const response = await fetch(\`\${url}/v1/test_helpers/intros/\${intro.id}/record\`, {
  method: 'POST',
  headers: { authorization, 'idempotency-key': \`my_crm:\${intro.id}:record\` },
});
console.log(response.status, (await response.json()).status);
`,
} as const;

/** Verifies Standard Webhooks signatures without a library. */
export const RECEIVER = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = Buffer.from((process.env.FOREWORD_WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');

function isAuthentic(headers: Record<string, unknown>, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const expected = createHmac('sha256', secret).update(\`\${id}.\${at}.\${body}\`).digest();
  return String(signatures).split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => { body += text; }).on('end', () => {
    const authentic = isAuthentic(request.headers, body);
    response.writeHead(authentic ? 204 : 401).end();
    if (authentic) console.log(JSON.parse(body).type, JSON.parse(body).data.id);
  });
}).listen(Number(process.env.PORT ?? 4000));
`;
