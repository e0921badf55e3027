import type { DEVELOPERS_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { createDryRunHandlers } from './dry-run.ts';
import { createFirstStepsHandlers } from './first-steps.ts';
import { createKeyHandlers } from './keys.ts';
import { createRequestHandlers } from './requests.ts';
import { createWebhookHandlers } from './webhooks.ts';

export const createDevelopersHandlers = (
  deps: ConsoleDeps,
): Pick<ConsoleHandlers, keyof typeof DEVELOPERS_OPERATIONS> => ({
  ...createKeyHandlers(deps),
  ...createWebhookHandlers(deps),
  ...createRequestHandlers(deps),
  ...createDryRunHandlers(deps),
  ...createFirstStepsHandlers(deps),
});
