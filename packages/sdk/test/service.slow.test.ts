import { expect, test } from 'vitest';
import { forFile, openService } from '../../server/test/harness/index.ts';
import {
  Foreword,
  ForewordConflictError,
  ForewordEventFailedError,
  ForewordIntroClosedError,
  ForewordNotFoundError,
  ForewordWaitTimeoutError,
} from '../src/index.ts';

const fixture = await forFile(openService({ WEBHOOKS_ALLOW_PRIVATE: 'on' }));
const foreword = new Foreword({ apiKey: fixture.organization.key, baseUrl: `${fixture.service.url}/` });

const moment = {
  touchpoint: 'project_update',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+15005550123' },
};
let records = 0;
const newKey = (touchpoint = 'project_update') => ({
  idempotencyKey: Foreword.idempotencyKey({ source: 'sdk', recordId: ++records, touchpoint }),
});
const catchError = (promise: PromiseLike<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('an event becomes an intro; its repeat is a duplicate, and another body with its key a conflict', async () => {
  const key = newKey();
  const accepted = await foreword.events.create(moment, key);
  const processed = await foreword.events.waitFor(accepted.id);
  expect([accepted.status, processed.status]).toEqual(['accepted', 'processed']);
  expect((await foreword.intros.retrieve(processed.intro)).recipient.phone).toBe('+15005550123');
  expect(await foreword.events.create(moment, key)).toMatchObject({ id: accepted.id, status: 'duplicate' });
  const other = { ...moment, occurred_at: '2026-03-11T09:15:00Z' };
  const conflict = await catchError(foreword.events.create(other, key));
  expect(conflict).toBeInstanceOf(ForewordConflictError);
  expect(conflict).toMatchObject({ code: 'idempotency_conflict', status: 409 });
});

test('events.waitFor throws the reason of an event that failed, and its time limit for one that is not processed', async () => {
  const failing = await foreword.members.create(
    { first_name: 'Bo', last_name: 'Li', email: 'bo@acme.example', external_id: 'rep_18' },
    newKey('member'),
  );
  const { id } = await foreword.events.create({ ...moment, member: { id: failing.id } }, newKey());
  await foreword.events.waitFor(id);
  // Stored as the worker would store it, because a worker is faster than a test that deactivates the member in between.
  await fixture.database.query(
    `update touchpoint_events set status = 'failed', error_code = 'member_not_found' where id = '${id}'`,
  );
  const failed = await catchError(foreword.events.waitFor(id));
  expect(failed).toBeInstanceOf(ForewordEventFailedError);
  expect(failed).toMatchObject({ code: 'member_not_found', event: { id, status: 'failed' } });
});

test('intros.waitFor ends with the recording, at its time limit, and when the intro closed first', async () => {
  const created = await foreword.intros.create(
    { member: moment.member, recipient: moment.recipient },
    newKey('direct'),
  );
  const late = await catchError(foreword.intros.waitFor(created.id, { timeoutMs: 300 }));
  expect(late).toBeInstanceOf(ForewordWaitTimeoutError);
  expect((late as Error).message).toContain('its status is requested');
  const stop = new AbortController();
  const waiting = catchError(foreword.intros.waitFor(created.id, { signal: stop.signal }));
  stop.abort(new Error('enough'));
  expect(await waiting).toMatchObject({ message: 'enough' });

  const closing = catchError(foreword.intros.waitFor(created.id, { status: 'sent' }));
  const closed = foreword.intros.waitFor(created.id);
  await foreword.intros.cancel(created.id);
  expect(await closing).toBeInstanceOf(ForewordIntroClosedError);
  expect((await closed).status).toBe('cancelled');
});

test('a missing object is a ForewordNotFoundError with the id of the request', async () => {
  const error = await catchError(foreword.intros.retrieve('int_none/../..?x'));
  expect(error).toBeInstanceOf(ForewordNotFoundError);
  expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: expect.stringMatching(/\w/) });
});
