import { type Operation, scopesOf } from '../operation.ts';

export const API_KEY =
  'An API key: `fw_test_` and 30 letters and digits. Its scope is `full` (every operation), `events` (try, report and retrieve events, ' +
  'read touchpoints) or `read` (every GET); the recording links of members also need the permission `recording_links`. A key can ' +
  'expire, and can be limited to certain IP addresses.';

/** The keys that may use an operation, as the last paragraph of its description. */
export function describeKeys(operation: Operation): string {
  const scopes = scopesOf(operation).map((scope) => `\`${scope}\``);
  const permission = operation.permission === undefined ? '' : `, with the permission \`${operation.permission}\``;
  return `**Keys:** ${scopes.join(', ')}${permission}.`;
}
