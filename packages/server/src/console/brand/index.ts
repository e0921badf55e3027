import type { BRAND_OPERATIONS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

export function createBrandHandlers(_deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof BRAND_OPERATIONS> {
  return {};
}
