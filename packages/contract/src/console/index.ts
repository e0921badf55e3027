/** The console's operations: one table for each part, with the lowest role that may call each. */

import type { Static, TObject } from 'typebox';
import { ACTIVITY_OPERATIONS } from './activity.ts';
import { ARCHIVE_OPERATIONS } from './archive.ts';
import { BRAND_OPERATIONS } from './brand.ts';
import { CONSENT_OPERATIONS } from './consent.ts';
import { DEVELOPERS_OPERATIONS } from './developers.ts';
import { ERASURES_OPERATIONS } from './erasures.ts';
import { HOME_OPERATIONS } from './home.ts';
import { INTROS_OPERATIONS } from './intros.ts';
import { LIKENESS_OPERATIONS } from './likeness.ts';
import { LINK_DOMAINS_OPERATIONS } from './link-domains.ts';
import { MEMBERS_OPERATIONS } from './members.ts';
import type { ResponseOf } from './operation.ts';
import { OVERVIEW_OPERATIONS } from './overview.ts';
import { PASSKEY_OPERATIONS } from './passkeys.ts';
import { RETENTION_OPERATIONS } from './retention.ts';
import { SESSION_OPERATIONS } from './session.ts';
import { TEXT_LIMITS_OPERATIONS } from './text-limits.ts';
import { TOUCHPOINTS_OPERATIONS } from './touchpoints.ts';

export * from './activity.ts';
export * from './archive.ts';
export * from './brand.ts';
export * from './consent.ts';
export * from './developers.ts';
export * from './erasures.ts';
export * from './home.ts';
export * from './intros.ts';
export * from './intros-bulk.ts';
export * from './likeness.ts';
export * from './link-domains.ts';
export * from './members.ts';
export type { ConsoleOperation } from './operation.ts';
export * from './overview.ts';
export * from './passkeys.ts';
export * from './retention.ts';
export * from './script-results.ts';
export * from './session.ts';
export * from './text-limits.ts';
export * from './touchpoints.ts';

/** Every operation of the console's API, below `/console/api`. Each part has its own file in this folder. */
export const CONSOLE_OPERATIONS = {
  ...SESSION_OPERATIONS,
  ...OVERVIEW_OPERATIONS,
  ...TOUCHPOINTS_OPERATIONS,
  ...MEMBERS_OPERATIONS,
  ...LIKENESS_OPERATIONS,
  ...INTROS_OPERATIONS,
  ...DEVELOPERS_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...HOME_OPERATIONS,
  ...TEXT_LIMITS_OPERATIONS,
  ...CONSENT_OPERATIONS,
  ...PASSKEY_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
  ...RETENTION_OPERATIONS,
  ...LINK_DOMAINS_OPERATIONS,
  ...ERASURES_OPERATIONS,
};

type Operations = typeof CONSOLE_OPERATIONS;
export type ConsoleKey = keyof Operations & string;

type PathOf<K extends string> = K extends `${string} ${infer P}` ? P : never;
type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;
type Fields<T> = T extends TObject ? Static<T> : Record<string, never>;

export type ConsoleParams<K extends ConsoleKey> = { readonly [N in NamesIn<PathOf<K>>]: string };
export type ConsoleQuery<K extends ConsoleKey> = Operations[K] extends { query: infer Q } ? Fields<Q> : Fields<null>;
export type ConsoleBody<K extends ConsoleKey> = Operations[K] extends { body: infer B } ? Fields<B> : Fields<null>;
export type ConsoleResponse<K extends ConsoleKey> = Operations[K]['response'] extends ResponseOf<infer T> ? T : never;
