import type { Command } from './command.ts';
import { deliveryCommands } from './delivery.ts';
import { doctorCommand } from './doctor.ts';
import { introCommands } from './intros.ts';
import { keyCommands } from './keys.ts';
import { memberCommands } from './members.ts';
import { organizationCommands } from './organizations.ts';
import { signInCommands } from './signin.ts';
import { touchpointCommands } from './touchpoints.ts';
import { webhookCommands } from './webhooks.ts';

/** In the order in which somebody new would use them. */
export const COMMANDS: readonly Command[] = [
  ...organizationCommands,
  ...memberCommands,
  ...signInCommands,
  ...keyCommands,
  ...touchpointCommands,
  ...introCommands,
  ...deliveryCommands,
  ...webhookCommands,
  doctorCommand,
];
