/** Connects agents by the Model Context Protocol. */

export { registerMcp } from './routes.ts';
export type { Destination } from './stdio.ts';

/** Forwarding for `foreword mcp`. Loaded on use, because the service does not need it. */
export const loadForwarding = () => import('./stdio.ts');
