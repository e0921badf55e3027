import dns from 'node:dns/promises';
import net from 'node:net';
import { isPublicAddress } from './addresses.ts';

const TRY_MS = 3_000;
const TRIES = 2;

/** The addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Asks the name servers themselves. The system's own look-up waits in one of four threads that all of the process shares, files
 * and cryptography included: four names whose servers stay silent would hold up every other one.
 */
export function createResolver(): Resolve {
  const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error('the name has no address');
  };
}

/** For development: knows the hosts file, and with it names of this machine. */
export const resolveBySystem: Resolve = async (name) =>
  (await dns.lookup(name, { all: true })).map(({ address }) => address);

export class AddressRefusedError extends Error {
  readonly code = 'EADDRREFUSED';
  constructor() {
    super('The address leads to this machine or into a private network.');
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
 * For `net.connect`: the addresses it may connect to, and no others. It connects to exactly what is given here, so a name cannot
 * lead elsewhere between the check and the connection.
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
