import { DAY_MS, ERRORS } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Tenant } from '../db/tenancy.ts';
import { ApiError } from '../platform/errors.ts';
import { uploadedBytesSince } from './store/uploads.ts';

/** For `Retry-After`. */
const RETRY_S = 3_600;

/** Bytes that one organization may upload in 24 hours: a leaked link or key must not fill the store of all. */
export interface DailyLimit extends Pick<Services, 'db' | 'clock'> {
  readonly maxDailyBytes: number;
}

/** Uploads at the same time may exceed the limit by one part each. */
export async function requireDailyRoom({ db, clock, maxDailyBytes }: DailyLimit, tenant: Tenant, bytes: number) {
  const used = await uploadedBytesSince(db.kysely, tenant, new Date(clock().getTime() - DAY_MS));
  if (used + bytes <= maxDailyBytes) return;
  const message =
    'This organization has reached its daily limit for uploads. Try again later, or ask your administrator.';
  throw new ApiError('storage_full', message, { status: ERRORS.storage_full.otherStatus, retryAfterS: RETRY_S });
}
