import ipaddr from 'ipaddr.js';

// 64:ff9b::/96: the last 32 bits are the IPv4 address that a translator connects to.
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
// Whatever the registries say of its parts: nothing outside it is an address of the public internet.
const GLOBAL = ipaddr.parseCIDR('2000::/3');
const PUBLIC = 'unicast';

/**
 * Whether anybody on the internet could be reached there. Everything else is refused: this machine, private networks, link-local
 * (metadata services of clouds), multicast, what is reserved, and IPv6 forms that carry such an address or hide where they lead.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return address.range() === PUBLIC;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().range() === PUBLIC;
  if (address.match(NAT64)) return ipaddr.fromByteArray(address.toByteArray().slice(-4)).range() === PUBLIC;
  return address.match(GLOBAL) && address.range() === PUBLIC;
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * What is wrong with an address that somebody gave us to call, as the end of a sentence that begins with its name; null when
 * nothing is. The parser has read decimal, octal and hexadecimal forms of IPv4 as what they are. Names are looked up only when
 * a connection is made, and what they lead to is checked then.
 */
export function explainUrl(text: string, options: { allowPrivate: boolean }): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) {
    return 'must be an address that begins with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (options.allowPrivate) return null;
  const host = hostOf(url);
  if (isLocalName(host) || (ipaddr.isValid(host) && !isPublicAddress(host))) {
    return 'must not lead to this machine or into a private network';
  }
  return null;
}
