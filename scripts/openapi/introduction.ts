import { type Operation, scopesOf } from '@foreword/contract';

/** The description of the API at the top of the reference. */
export const INTRODUCTION = `With Foreword, a member of an organization records one short personal video, an *intro*, for one recipient, and the
recipient watches it on a page in the organization's brand.

There are two ways to create an intro: report a business event (\`POST /v1/touchpoint-events\`), and the organization's touchpoint
determines the details, or create the intro yourself (\`POST /v1/intros\`).

**Authentication.** Every request needs \`Authorization: Bearer <API_KEY>\`. The key determines organization and environment;
objects outside of them are a 404. A key can expire, and can be limited to IP addresses; then the response is a 401 that says so.

**Key scopes.** A key has the scope \`full\` (every operation), \`events\` (try, report and retrieve events, read touchpoints) or
\`read\` (every GET, and the dry run). The recording links of members also need the permission \`recording_links\`. Each operation
lists the scopes that may use it; other keys get a 403 \`forbidden\`. Owners choose scope, expiration and addresses in the console,
operators with \`foreword key create\`.

**Idempotency.** Every POST and DELETE that changes something needs an \`Idempotency-Key\` built from your data: \`<source>:<record_id>:<touchpoint_slug>\`,
and for an appointment its start in UTC to the minute, such as \`acme_crm:appt_8812:new_appointment:2026-03-12T19:30Z\`.
The same key with the same body returns the original response and creates nothing, no matter how much later; white space and the
order of fields do not matter. The same key with a different body is a 409. Only a 2xx uses up a key: after a 4xx, correct the body
and keep the key.

**Retries.** Retry a timeout, a 429 or a 5xx with the same key. Do not retry any other 4xx unchanged.

**Webhooks** follow Standard Webhooks 1.0, with the headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`. Any 2xx
within 15 seconds is a success; otherwise the message is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. Expect
duplicates (with the same \`webhook-id\`) and any order: an intro's \`version\` increases with each change.

**Errors** have one body: \`{"error": {"code", "message", "field"}}\`. The message of a \`validation_failed\` names every problem;
\`field\` is the first. The header \`Link\` of each error leads to an explanation of its code.

**Empty fields.** In an optional field, \`null\` and \`""\` mean that it was not sent. Required fields and query parameters reject them.
In \`metadata\`, \`""\` is a value.

**Unknown fields** in requests are rejected, so that typos do not go unnoticed. Responses may gain fields: ignore those that you do
not know.

**Rate limits.** Each key may send 100 POSTs per second with bursts of 200, and five times as many reads; all
keys of an organization together may send twice as much. A list counts as one read for each 10 objects of its \`limit\`. Every
response to a key has the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`.

**Lists** are newest first; continue with \`starting_after\`, the last id of a page, while \`has_more\` is true. Filters are combined
with AND. Several values of one parameter are separated by commas: \`status=accepted,failed\`.

**Text** is stored as sent, without trimming. Lengths are counted in code points. Control characters are rejected.

**Times** in requests are ISO 8601: seconds, a fraction, and the colon of the offset are optional. Times in responses are RFC 3339
in UTC with milliseconds.

**Caching.** Reads have an \`ETag\`; with \`If-None-Match\`, an unchanged response is a 304. Bodies over 1 KB are compressed with
Brotli or gzip, if \`Accept-Encoding\` allows it.

**Versions.** \`/v1\` only gains fields, operations and event types. Removals are announced with the headers \`Deprecation\` and
\`Sunset\` at least 12 months ahead.`;

export const API_KEY =
  'An API key: `fw_test_` and 30 letters and digits. Its scope is `full` (every operation), `events` (try, report and retrieve events, ' +
  'read touchpoints) or `read` (every GET, and the dry run); the recording links of members also need the permission `recording_links`. A key can ' +
  'expire, and can be limited to certain IP addresses.';

/** The keys that may use an operation, as the last paragraph of its description. */
export function describeKeys(operation: Operation): string {
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const permission = operation.permission === undefined ? '' : `, with the permission \`${operation.permission}\``;
  return `**Keys:** ${scopes.join(', ')}${permission}.`;
}
