import type { IncomingMessage } from 'node:http';

/**
 * Whether a request has a header more than once. Node keeps the first `Host` and joins other values, so that another server
 * in front may have read something else. `name` is in lower case.
 */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

const SENT_ONCE = ['Host', 'Authorization', 'Content-Type'];

/** The header that a request has twice, of those of which Node keeps only the first. */
export const findRepeated = (raw: IncomingMessage): string | undefined =>
  SENT_ONCE.find((name) => isRepeated(raw, name.toLowerCase()));

/** A year: browsers then use https for this host, whatever a link says. Without subdomains, which may be someone else's. */
const HSTS = 'max-age=31536000';

/** Not for localhost: the browser would also require https from everything else on the developer's machine. */
function requiresHttps(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !/(^|\.)localhost$/.test(hostname);
}

/** Headers of every response, errors and pages alike. */
export const securityHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  // Browsers must not guess that JSON or an upload is a page.
  'x-content-type-options': 'nosniff',
  ...(requiresHttps(publicUrl) && { 'strict-transport-security': HSTS }),
});
