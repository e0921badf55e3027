import type { INTROS_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createIntrosHandlers(_deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof INTROS_OPERATIONS> {
  return {};
}
