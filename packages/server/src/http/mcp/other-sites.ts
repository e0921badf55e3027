import { isIP } from 'node:net';

/** Names that public DNS cannot have, so that no other site can point one at this service. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal)$/;

const hostnameOf = (host: string): string | null => {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : null;
};

/**
 * Whether a web page of another site may have sent the request, in a browser that it made resolve a name of its own to this
 * service (DNS rebinding). Programs send no Origin.
 */
export function isFromOtherSite(
  { origin, host = '' }: { readonly origin?: string | undefined; readonly host?: string | undefined },
  publicUrl: string,
): boolean {
  const own = new URL(publicUrl);
  if (origin !== undefined && origin !== own.origin) return true;
  const name = hostnameOf(host);
  if (name === null) return true;
  const isAddress = isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
  return !(isAddress || name === own.hostname || PRIVATE_NAME.test(name));
}
