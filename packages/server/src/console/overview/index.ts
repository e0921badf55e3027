import type { OVERVIEW_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createOverviewHandlers(_deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof OVERVIEW_OPERATIONS> {
  return {};
}
