import type { MEMBERS_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createMembersHandlers(_deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof MEMBERS_OPERATIONS> {
  return {};
}
