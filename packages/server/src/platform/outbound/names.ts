import dns from 'node:dns/promises';
import net from 'node:net';
import { ALLOW_PRIVATE_HINT, isPublicAddress } from './addresses.ts';

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

interface LookupOptions {
  readonly all?: boolean | undefined;
  readonly family?: number | string | undefined;
}
type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/**
 * A lookup for `net.connect` that returns only allowed addresses. The connection uses exactly these, so the name cannot resolve
 * to another address between the check and the connection.
 */
export function createLookup(resolve: Resolve, allowPrivate: boolean) {
  return (name: string, options: LookupOptions, callback: LookupCallback): void => {
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
