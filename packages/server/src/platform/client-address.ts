import ipaddr from 'ipaddr.js';
import { isbot } from 'isbot';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** Whether the proxy at this address may report the address of its client in `X-Forwarded-For`. */
export type TrustsProxy = (address: string) => boolean;

/** Loopback, link-local, RFC 1918 and unique local addresses: their owner's own network. */
const PRIVATE_NETWORKS = [
  '127.0.0.0/8',
  '::1/128',
  '169.254.0.0/16',
  'fe80::/10',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

/** An address as proxies write it: some add the port, IPv6 may be in brackets. Null if it is something else. */
export function readAddress(text: string | undefined): Address | null {
  const [, bracketed, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text ?? '') ?? [];
  const address = bracketed ?? v4 ?? text ?? '';
  // Stricter than ipaddr.isValid, which also reads a single number as an address.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  // `::ffff:192.0.2.1` is how a socket for both protocols shows 192.0.2.1.
  return ipaddr.process(address);
}

/** A network such as `10.0.0.0/8`, or a single address. Null if it is neither. */
function readNetwork(text: string): Network | null {
  const [, base = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = /[[\]%]|\.\d+:/.test(base) ? null : readAddress(base);
  if (address === null) return null;
  const isMapped = address.kind() === 'ipv4' && base.includes(':');
  const length = address.kind() === 'ipv6' ? 128 : 32;
  const prefix = bits === undefined ? length : Number(bits) - (isMapped ? 96 : 0);
  // With a prefix of 0, every client could choose its address.
  return prefix >= 1 && prefix <= length ? [address, prefix] : null;
}

/** `unknown` is the first entry that is not a network. */
export function readNetworks(entries: readonly string[]): { contains(address: string): boolean } | { unknown: string } {
  const networks: Network[] = [];
  for (const entry of entries) {
    const network = readNetwork(entry);
    if (network === null) return { unknown: entry };
    networks.push(network);
  }
  return {
    contains(text) {
      const address = readAddress(text);
      if (address === null) return false;
      return networks.some(([base, prefix]) => address.kind() === base.kind() && address.match(base, prefix));
    },
  };
}

/** `unknown` is the first entry that is neither a network nor `private`. */
export function readTrustedProxies(entries: readonly string[]): { trusts: TrustsProxy } | { unknown: string } {
  const networks = readNetworks(entries.flatMap((name) => (name === 'private' ? PRIVATE_NETWORKS : [name])));
  return 'unknown' in networks ? networks : { trusts: networks.contains };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Crawlers, link previews and scripts, and browsers that prefetch a page before a person opens it. */
export const isRobot = (headers: Headers): boolean =>
  [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some((value) =>
    /prefetch|prerender|preview/i.test(String(value ?? '')),
  ) || isbot(headers['user-agent']?.toString());
