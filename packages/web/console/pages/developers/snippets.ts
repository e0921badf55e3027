import type { StepMember, StepTouchpoint } from '@foreword/contract';

/** What the snippets are about. */
export interface Sample {
  readonly url: string;
  /** Null: a placeholder stands there. */
  readonly key: string | null;
  readonly touchpoint: Pick<StepTouchpoint, 'slug' | 'context'>;
  readonly member: Pick<StepMember, 'id' | 'external_id'>;
  readonly timezone: string;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
const APPOINTMENT_DAYS_AHEAD = 3;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** As a field for date and time holds it. */
export const appointmentAhead = (nowMs: number): string => `${dayOf(nowMs + APPOINTMENT_DAYS_AHEAD * DAY_MS)}T10:00`;

/** Another record for another member and day: the same key with another body would be refused. */
function recordIdOf({ member, nowMs }: Sample): string {
  return `demo_${dayOf(nowMs).replaceAll('-', '')}_${member.external_id ?? member.id.slice(-6)}`;
}

const idempotencyKeyOf = (sample: Sample): string => `my_crm:${recordIdOf(sample)}:${sample.touchpoint.slug}`;

/** The same all day, so that a second run is a repeat and no conflict. */
function eventOf(sample: Sample): object {
  const { touchpoint, member, timezone, nowMs } = sample;
  const starts_at = `${appointmentAhead(nowMs)}:00`;
  return {
    touchpoint: touchpoint.slug,
    occurred_at: `${dayOf(nowMs)}T00:00:00Z`,
    member: member.external_id === null ? { id: member.id } : { external_id: member.external_id },
    recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
    reference: { source: 'my_crm', type: 'appointment', id: recordIdOf(sample) },
    ...(touchpoint.context === 'appointment' && { context: { appointment: { starts_at, timezone } } }),
  };
}

export const eventAnswer = (sample: Sample): string =>
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

/** Words in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const AUTHORIZATION = '-H "Authorization: Bearer $FOREWORD_KEY"';
const askFor = (sample: Sample): string => quoted(`${sample.url}/v1/intros?reference_id=${recordIdOf(sample)}`);

export const keySnippet = ({ key }: Sample): string => `export FOREWORD_KEY=${key ?? 'fw_test_…'}`;

export const CURL = {
  send: (sample: Sample): string =>
    [
      `curl -X POST ${quoted(`${sample.url}/v1/touchpoint-events`)} \\`,
      `  ${AUTHORIZATION} \\`,
      `  -H ${quoted(`Idempotency-Key: ${idempotencyKeyOf(sample)}`)} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${quoted(JSON.stringify(eventOf(sample), null, 2))}`,
    ].join('\n'),
  watch: (sample: Sample): string => `curl ${askFor(sample)} ${AUTHORIZATION}`,
  record: (sample: Sample): string =>
    [
      `INTRO=$(curl -s ${askFor(sample)} ${AUTHORIZATION} | grep -o 'int_[0-9a-z]*' | head -n 1)`,
      `curl -X POST ${quoted(`${sample.url}/v1/test_helpers/intros/`)}"$INTRO/record" \\`,
      `  ${AUTHORIZATION} -H "Idempotency-Key: my_crm:$INTRO:record"`,
    ].join('\n'),
} as const;

const head = (sample: Sample): string =>
  `const url = ${JSON.stringify(sample.url)};
const authorization = \`Bearer \${process.env.FOREWORD_KEY}\`;`;

const FIND = (sample: Sample): string =>
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
// On 429 and 5xx, and when there is no answer: the same again, with the same key.
console.log(response.status, await response.json());
`,
  watch: (sample: Sample): string =>
    `${head(sample)}

${FIND(sample)}
console.log(intro.status, intro.delivery.recipient_url);
`,
  record: (sample: Sample): string =>
    `${head(sample)}

${FIND(sample)}
const response = await fetch(\`\${url}/v1/test_helpers/intros/\${intro.id}/record\`, {
  method: 'POST',
  headers: { authorization, 'idempotency-key': \`my_crm:\${intro.id}:record\` },
});
console.log(response.status, (await response.json()).status);
`,
} as const;

/** Signatures are those of Standard Webhooks, checked here without a library. */
export const RECEIVER = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = Buffer.from((process.env.FOREWORD_WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');

function isOurs(headers: Record<string, unknown>, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const wanted = createHmac('sha256', secret).update(\`\${id}.\${at}.\${body}\`).digest();
  return String(signatures).split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => { body += text; }).on('end', () => {
    const known = isOurs(request.headers, body);
    response.writeHead(known ? 204 : 401).end();
    if (known) console.log(JSON.parse(body).type, JSON.parse(body).data.id);
  });
}).listen(Number(process.env.PORT ?? 4000));
`;
