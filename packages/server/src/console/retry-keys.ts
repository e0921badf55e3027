import type { ConsoleUser } from './sessions/service.ts';

/** Two members' pages may make the same key; what one of them began is nothing to the other. */
export const retryKey = ({ memberId }: ConsoleUser, clientKey: string): string => `console:${memberId}:${clientKey}`;
