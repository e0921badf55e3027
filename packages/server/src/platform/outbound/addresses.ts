import ipaddr from 'ipaddr.js';

// 64:ff9b::/96: the last 32 bits are the IPv4 address that the translator connects to.
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
// No address outside of it belongs to the public internet.
const GLOBAL = ipaddr.parseCIDR('2000::/3');
/** Azure's address for the metadata and DNS of each machine. It only looks public. */
const AZURE_WIRE_SERVER = '168.63.129.16';

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== AZURE_WIRE_SERVER;

/**
 * True for addresses of the public internet. False for this machine, private networks, link-local (cloud metadata services),
 * multicast and reserved ranges, and for IPv6 forms that embed such an address or hide their destination.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicV4(address);
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address());
  if (address.match(NAT64)) return isPublicV4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return address.match(GLOBAL) && address.range() === 'unicast';
}

/** For the operator, who may need it for development. */
export const ALLOW_PRIVATE_HINT = 'WEBHOOKS_ALLOW_PRIVATE=on allows it, for development only';

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** True for a URL of this machine, in any notation of its address. */
export function isLoopbackUrl(text: string): boolean {
  const host = hostOf(new URL(text));
  return isLocalName(host) || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/**
 * Explains what is wrong with a URL that a customer configured, as the rest of a sentence that starts with its field; null when
 * it is fine. URL parsing normalizes every notation of IPv4. Host names are checked when a connection resolves them.
 */
export function explainUrl(text: string, options: { allowPrivate: boolean }): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) {
    return 'must be a URL that starts with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  if (options.allowPrivate) return null;
  const host = hostOf(url);
  if (isLocalName(host) || (ipaddr.isValid(host) && !isPublicAddress(host))) {
    return `must not point to this machine or a private network (${ALLOW_PRIVATE_HINT})`;
  }
  return null;
}
