import type { ConsoleUser } from './sessions/service.ts';

/** Scoped to the member, because two members' pages may generate the same key. */
export const retryKey = ({ memberId }: ConsoleUser, clientKey: string): string => `console:${memberId}:${clientKey}`;
