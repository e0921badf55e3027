import type { Command } from './command.ts';

type Load = () => Promise<readonly Command[]>;

const loadDelivery: Load = async () => (await import('./delivery.ts')).deliveryCommands;

/**
 * By their first word, in the order in which somebody new would use them. Each brings its part of the service along, and
 * reading that takes most of a command's time: so only what is asked for is loaded.
 */
const GROUPS = new Map<string, Load>([
  ['org', async () => (await import('./organizations.ts')).organizationCommands],
  ['member', async () => (await import('./members.ts')).memberCommands],
  ['signin', async () => (await import('./signin.ts')).signInCommands],
  ['key', async () => (await import('./keys.ts')).keyCommands],
  ['touchpoint', async () => (await import('./touchpoints.ts')).touchpointCommands],
  ['intro', async () => (await import('./intros.ts')).introCommands],
  ['delivery', loadDelivery],
  ['message', loadDelivery],
  ['webhook', async () => (await import('./webhooks.ts')).webhookCommands],
  ['doctor', async () => [(await import('./doctor.ts')).doctorCommand]],
]);

/** Those of the group that comes first in a command line; all of them where it begins otherwise. */
export async function loadCommands([first = '']: readonly string[]): Promise<readonly Command[]> {
  const load = GROUPS.get(first);
  if (load !== undefined) return load();
  const groups = await Promise.all([...new Set(GROUPS.values())].map((each) => each()));
  return groups.flat();
}
