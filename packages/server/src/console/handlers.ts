import { createBrandHandlers } from './brand/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { createDevelopersHandlers } from './developers/index.ts';
import { createHomeHandlers } from './home/index.ts';
import { createIntrosHandlers } from './intros/index.ts';
import { createMembersHandlers } from './members/index.ts';
import type { ConsoleHandlers } from './operations.ts';
import { createOverviewHandlers } from './overview/index.ts';
import { createSessionHandlers } from './session.ts';
import { createTouchpointsHandlers } from './touchpoints/index.ts';

export const createConsoleHandlers = (deps: ConsoleDeps): ConsoleHandlers => ({
  ...createSessionHandlers(deps),
  ...createOverviewHandlers(deps),
  ...createTouchpointsHandlers(deps),
  ...createMembersHandlers(deps),
  ...createIntrosHandlers(deps),
  ...createDevelopersHandlers(deps),
  ...createBrandHandlers(deps),
  ...createHomeHandlers(deps),
});
