import type { HOME_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createHomeHandlers(_deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof HOME_OPERATIONS> {
  return {};
}
