import type { Command } from './command.ts';

type Load = () => Promise<readonly Command[]>;

const loadDelivery: Load = async () => (await import('./delivery.ts')).deliveryCommands;

/**
 * Command groups in the order in which a new operator needs them. Loading the service's modules takes most of a command's
 * time, so only the requested group is loaded.
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

/** The commands of the group named first on the command line; all commands if it starts differently. */
export async function loadCommands([first = '']: readonly string[]): Promise<readonly Command[]> {
  const load = GROUPS.get(first);
  if (load !== undefined) return load();
  const groups = await Promise.all([...new Set(GROUPS.values())].map((each) => each()));
  return groups.flat();
}
