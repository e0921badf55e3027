import type { DEVELOPERS_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createDevelopersHandlers(
  _deps: ConsoleDeps,
): Pick<ConsoleHandlers, keyof typeof DEVELOPERS_OPERATIONS> {
  return {};
}
