import dns from 'node:dns/promises';
import net from 'node:net';
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
const ALLOW_PRIVATE_HINT = 'WEBHOOKS_ALLOW_PRIVATE=on allows it, for development only';

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

const TRY_MS = 3_000;
const TRIES = 2;

/** Returns the IP addresses of a host name. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Queries the name servers directly. The system lookup blocks one of the four threads that also serve files and cryptography,
 * so four unresponsive name servers would stall the whole process. Without `servers`, those of the system.
 */
export function createResolver(servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error('the host name has no address');
  };
}

/** For development: also resolves names from the hosts file. */
export const resolveBySystem: Resolve = async (name) =>
  (await dns.lookup(name, { all: true })).map(({ address }) => address);

export class AddressRefusedError extends Error {
  readonly code = 'EADDRREFUSED';
  constructor() {
    super(`The host name resolves to this machine or a private network (${ALLOW_PRIVATE_HINT}).`);
  }
}

/**
 * A lookup for `net.connect` that returns only allowed addresses. The connection uses exactly these, so the name cannot resolve
 * to another address between the check and the connection.
 */
export function createLookup(resolve: Resolve, allowPrivate: boolean): net.LookupFunction {
  return (name, options, callback) => {
    const find = async () => {
      const allowed = (await resolve(name)).filter((address) => allowPrivate || isPublicAddress(address));
      if (allowed.length === 0) throw new AddressRefusedError();
      return allowed.map((address) => ({ address, family: net.isIP(address) }));
    };
    find().then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
