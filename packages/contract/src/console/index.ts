/** The console's operations: one table for each part, with the lowest role that may call each. */

import type { BodyOf, OperationForm, ParamsOf, QueryOf, ResponseOf } from '../operation.ts';
import type { OPERATIONS } from '../operations.ts';
import type { Role } from '../plain/index.ts';
import { ACTIVITY_OPERATIONS } from './activity.ts';
import { BRAND_OPERATIONS } from './brand.ts';
import { DEVELOPERS_OPERATIONS } from './developers.ts';
import { HOME_OPERATIONS } from './home.ts';
import { INTROS_OPERATIONS } from './intros.ts';
import { MEMBERS_OPERATIONS } from './members.ts';
import { OVERVIEW_OPERATIONS } from './overview.ts';
import { PASSKEY_OPERATIONS } from './passkeys.ts';
import { PRIVACY_OPERATIONS } from './privacy.ts';
import { SIGN_IN_OPERATIONS } from './session.ts';
import { TEXT_LIMITS_OPERATIONS } from './text-limits.ts';
import { TOUCHPOINTS_OPERATIONS } from './touchpoints.ts';

export * from './activity.ts';
export * from './brand.ts';
export * from './developers.ts';
export * from './home.ts';
export * from './intros.ts';
export * from './members.ts';
export type { ConsoleOperation } from './operation.ts';
export * from './overview.ts';
export * from './passkeys.ts';
export * from './privacy.ts';
export * from './session.ts';
export * from './text-limits.ts';
export * from './touchpoints.ts';

/** The operations that only the console uses. Each part has its own file in this folder. */
export const CONSOLE_OPERATIONS = {
  ...SIGN_IN_OPERATIONS,
  ...OVERVIEW_OPERATIONS,
  ...TOUCHPOINTS_OPERATIONS,
  ...MEMBERS_OPERATIONS,
  ...INTROS_OPERATIONS,
  ...DEVELOPERS_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...HOME_OPERATIONS,
  ...TEXT_LIMITS_OPERATIONS,
  ...PASSKEY_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...PRIVACY_OPERATIONS,
};

export type ConsoleId = keyof typeof CONSOLE_OPERATIONS;

type WithRole<T> = { readonly [K in keyof T as T[K] extends { role: Role } ? K : never]: T[K] };
/** Every operation that a session may use, below `/console/api`. */
type SessionOperations = WithRole<typeof OPERATIONS> & typeof CONSOLE_OPERATIONS;

type KeyOf<O extends OperationForm> = `${O['method']} ${O['path']}`;
type ByKey = { readonly [K in keyof SessionOperations as KeyOf<SessionOperations[K]>]: SessionOperations[K] };

/** The method and path of an operation, such as `GET /members/{id}`, so that pages need no table of operations. */
export type ConsoleKey = keyof ByKey;
type Filled<T> = T extends object ? T : Record<never, never>;

export type ConsoleParams<K extends ConsoleKey> = ParamsOf<ByKey[K]>;
export type ConsoleQuery<K extends ConsoleKey> = QueryOf<ByKey[K]>;
export type ConsoleBody<K extends ConsoleKey> = Filled<BodyOf<ByKey[K]>>;
export type ConsoleResponse<K extends ConsoleKey> = ResponseOf<ByKey[K]>;
