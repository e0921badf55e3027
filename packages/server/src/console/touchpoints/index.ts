import type { TOUCHPOINTS_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createTouchpointsHandlers(
  _deps: ConsoleDeps,
): Pick<ConsoleHandlers, keyof typeof TOUCHPOINTS_OPERATIONS> {
  return {};
}
