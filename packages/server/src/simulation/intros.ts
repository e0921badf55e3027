import {
  type FailTestIntro,
  type Intro,
  type IntroReplyType,
  isTestNumber,
  type ReplyTestIntro,
  TEST_FAILURES,
  WATCH_STEPS,
  type WatchTestIntro,
} from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { type Delivery, notifyOfReply, storeTextReply } from '../delivery/index.ts';
import { expireNow, type IntroEvents, type IntroService } from '../intros/index.ts';
import { applyBeacon, applyReply, pageStateOf } from '../pages/index.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { Answer } from '../platform/operations.ts';
import type { SimulatedMember } from '../recordings/index.ts';
import type { TestClocks } from '../test-clock/index.ts';

interface Request<Body> {
  readonly tenant: Tenant;
  readonly key: string;
  readonly introId: string;
  readonly body: Body;
}

/** Does to an intro what people and carriers do, for tests: with the same code, and without contacting a carrier. */
export interface Simulation {
  open(request: Request<unknown>): Promise<Answer>;
  watch(request: Request<WatchTestIntro>): Promise<Answer>;
  reply(request: Request<ReplyTestIntro>): Promise<Answer>;
  optOut(request: Request<unknown>): Promise<Answer>;
  optIn(request: Request<unknown>): Promise<Answer>;
  expire(request: Request<unknown>): Promise<Answer>;
  fail(request: Request<FailTestIntro>): Promise<Answer>;
}

/** Marks the consent in the log as simulated: the log has to prove what people said. */
const said = (keyword: 'STOP' | 'START'): string => `${keyword} (test helper)`;

/** Why no one can open the page of this intro; null if it is open. */
function explainNotOpened({ status, sent_at: sentAt, taken_down_at: takenDownAt }: Intro, now: Date): ApiError | null {
  if (takenDownAt !== null) return new ApiError('intro_closed', 'The page of this intro was taken down.');
  switch (pageStateOf({ status, sentAt: sentAt === null ? null : new Date(sentAt), isVideoRemoved: false }, now)) {
    case 'open':
      return null;
    case 'unknown':
      return new ApiError('intro_not_ready', 'The video is not recorded yet, so there is no page to open.');
    default:
      return new ApiError(
        'intro_closed',
        status === 'sent' ? 'The page of this intro has closed.' : `This intro is ${status}, so its page is closed.`,
      );
  }
}

function explainWords(type: IntroReplyType, message: string | null): ApiError | null {
  const hasWords = type === 'question' || type === 'message';
  if (hasWords && message === null) return invalid('message', `is required for a ${type}`);
  return !hasWords && message !== null ? invalid('message', 'is possible only for a question or a message') : null;
}

function checkCode<Code extends string>(code: string | undefined, codes: readonly [Code, ...Code[]]): Code {
  if (code === undefined) return codes[0];
  const known = codes.find((one) => one === code);
  if (known === undefined) throw invalid('code', `must be one of ${codes.join(', ')}`);
  return known;
}

export function createSimulation(deps: {
  testClocks: TestClocks;
  intros: IntroService;
  introEvents: IntroEvents;
  delivery: Delivery;
  simulated: SimulatedMember;
}): Simulation {
  const { testClocks, intros, introEvents, delivery, simulated } = deps;

  const keyed = ({ tenant, key, introId, body }: Request<unknown>, action: string) =>
    ({ tenant, key, method: 'POST', path: `/v1/test_helpers/intros/${introId}/${action}`, body }) as const;

  /** Runs once per key, and responds with the intro as it is afterwards. */
  const once = (
    request: Request<unknown>,
    action: string,
    act: (tx: Transaction<Tables>, intro: Intro, now: Date) => Promise<unknown>,
  ): Promise<Answer> =>
    intros.once(keyed(request, action), async (tx) => {
      const { tenant, introId } = request;
      const now = await testClocks.nowWithin(tx, tenant);
      await act(tx, await intros.retrieveWithin(tx, tenant, introId), now);
      return intros.retrieveWithin(tx, tenant, introId);
    });

  return {
    open: (request) =>
      once(request, 'open', async (tx, intro, now) => {
        const refusal = explainNotOpened(intro, now);
        if (refusal !== null) throw refusal;
        await applyBeacon({ introEvents }, tx, request, { what: 'opened' }, now);
      }),
    watch: (request) =>
      once(request, 'watch', async (tx, intro, now) => {
        const refusal = explainNotOpened(intro, now);
        if (refusal !== null) throw refusal;
        const { percent: end = 100 } = request.body;
        for (const percent of WATCH_STEPS.filter((step) => step <= end)) {
          await applyBeacon({ introEvents }, tx, request, { what: 'watched', percent }, now);
        }
      }),
    reply: (request) =>
      once(request, 'reply', async (tx, intro, now) => {
        const { type = 'confirm', message = null } = request.body;
        const refusal = explainWords(type, message) ?? explainNotOpened(intro, now);
        if (refusal !== null) throw refusal;
        const outcome =
          type === 'message'
            ? await storeTextReply({ introEvents }, tx, request, message ?? '', now)
            : await applyReply({ introEvents, notifyOfReply }, tx, request, { type, message }, now);
        if (outcome === 'closed') {
          throw new ApiError('intro_not_sent', 'This intro is not sent yet, so there is no text to reply to.');
        }
        if (outcome === 'too_many') {
          throw new ApiError('too_soon', 'The recipient has replied ten times within a day. Try again tomorrow.');
        }
      }),
    optOut: (request) =>
      once(request, 'opt_out', (tx, { recipient: { phone } }, now) =>
        delivery.consents.optOut(tx, request.tenant, { phone, source: 'text', said: said('STOP') }, now),
      ),
    optIn: (request) =>
      once(request, 'opt_in', async (tx, { recipient: { phone } }, now) => {
        if (!isTestNumber(phone)) {
          throw new ApiError(
            'test_number_required',
            'Only the recipient can opt in again, with a START reply. Use a test number, such as +15005550100.',
          );
        }
        await delivery.consents.optIn(tx, request.tenant, { phone, source: 'text', said: said('START') }, now);
      }),
    expire: (request) =>
      once(request, 'expire', async (tx, { status }, now) => {
        if (await expireNow({ introEvents }, tx, request, now)) return;
        if (status !== 'expired') throw new ApiError('intro_closed', `This intro is ${status}, so it cannot expire.`);
      }),
    async fail(request) {
      const { step, code } = request.body;
      if (step === 'recording') {
        return simulated.failToRecord(
          keyed(request, 'fail'),
          request.introId,
          checkCode(code, TEST_FAILURES.recording),
        );
      }
      const failure = checkCode(code, TEST_FAILURES.delivery);
      return once(request, 'fail', (tx, _intro, now) =>
        delivery.failText(tx, request.tenant, request.introId, failure, now),
      );
    },
  };
}
