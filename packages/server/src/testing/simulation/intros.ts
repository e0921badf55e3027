import { createHash } from 'node:crypto';
import {
  type IntroReplyType,
  isTestNumber,
  REPLY_NOTE_MAX_LENGTH,
  TEST_FAILURES,
  WATCH_STEPS,
} from '@foreword/contract';
import type { Tx } from '../../db/tenancy.ts';
import { type Delivery, storeTextReply } from '../../delivery/index.ts';
import { type Caller, type ChangeId, Clip, type Handlers, type Input } from '../../http/index.ts';
import { expireNow, type IntroEvents, type IntroWithMember, introChange, requireIntro } from '../../intros/index.ts';
import type { Links } from '../../intros/links/index.ts';
import { applyBeacon, applyReply, pageStateOf } from '../../pages/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { builtInClip, notifyTakesWaiting, type SimulatedTake, storeSimulatedTake } from '../../recordings/index.ts';
import type { TestClocks } from '../clock/index.ts';

/** Marks the consent in the log as simulated: the log has to prove what people said. */
const said = (keyword: 'STOP' | 'START'): string => `${keyword} (test helper)`;

/** Why no one can open the page of this intro; null if it is open. */
function explainNotOpened(
  { status, sent_at: sentAt, taken_down_at: takenDownAt }: IntroWithMember,
  now: Date,
): ApiError | null {
  if (takenDownAt !== null) return new ApiError('intro_closed', 'The page of this intro was taken down.');
  switch (pageStateOf({ status, sentAt, isVideoRemoved: false }, now)) {
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

function requireOpenPage({ intro, now }: Step): void {
  const refusal = explainNotOpened(intro, now);
  if (refusal !== null) throw refusal;
}

function explainWords(type: IntroReplyType, message: string | null): ApiError | null {
  const needsWords = type === 'question' || type === 'message';
  if (needsWords && message === null) return invalid('message', `is required for a ${type}`);
  if (needsWords || message === null) return null;
  if (type !== 'reschedule') return invalid('message', 'is possible only for a question, a message or another time');
  return [...message].length > REPLY_NOTE_MAX_LENGTH
    ? invalid('message', `must have at most ${REPLY_NOTE_MAX_LENGTH} characters for another time`)
    : null;
}

function checkCode<Code extends string>(code: string | undefined, codes: readonly [Code, ...Code[]]): Code {
  if (code === undefined) return codes[0];
  const known = codes.find((one) => one === code);
  if (known === undefined) throw invalid('code', `must be one of ${codes.join(', ')}`);
  return known;
}

type Step = { readonly tenant: Caller; readonly introId: string; readonly intro: IntroWithMember; readonly now: Date };

/** Does to an intro what people and carriers do, for tests: with the same code, and without contacting a carrier. */
export function simulatedIntroOperations(
  deps: Parameters<typeof storeSimulatedTake>[0] & {
    readonly testClocks: TestClocks;
    readonly links: Links;
    readonly introEvents: IntroEvents;
    readonly delivery: Delivery;
  },
) {
  const { testClocks, delivery } = deps;
  const change = introChange(deps);

  const act = <K extends ChangeId>(
    step: (tx: Tx, at: Step, body: Input<K>['body'], take: SimulatedTake | undefined) => Promise<unknown>,
  ) =>
    change<K>(async (tx, caller, { params: { id: introId }, body }, prepared) => {
      const now = await testClocks.nowWithin(tx, caller);
      const intro = await requireIntro(tx, caller, introId);
      await step(tx, { tenant: caller, introId, intro, now }, body, prepared as SimulatedTake | undefined);
    });

  const storeTake = async (tenant: Caller, introId: string, clip?: Clip): Promise<SimulatedTake> =>
    storeSimulatedTake(deps, { tenant, introId, clip: clip ?? (await builtInClip()), now: testClocks.now(tenant) });

  return {
    openTestIntro: act(async (tx, at) => {
      requireOpenPage(at);
      await applyBeacon(deps, tx, at, { what: 'opened' }, at.now);
    }),
    watchTestIntro: act<'watchTestIntro'>(async (tx, at, { percent: end = 100 }) => {
      requireOpenPage(at);
      for (const percent of WATCH_STEPS.filter((step) => step <= end)) {
        await applyBeacon(deps, tx, at, { what: 'watched', percent }, at.now);
      }
    }),
    replyTestIntro: act<'replyTestIntro'>(async (tx, at, { type = 'confirm', message = null }) => {
      const refusal = explainWords(type, message);
      if (refusal !== null) throw refusal;
      requireOpenPage(at);
      const outcome =
        type === 'message'
          ? await storeTextReply(deps, tx, at, message ?? '', at.now)
          : await applyReply(deps, tx, at, { type, message }, at.now);
      if (outcome === 'closed') {
        throw new ApiError('intro_not_sent', 'This intro is not sent yet, so there is no text to reply to.');
      }
      if (outcome === 'too_many') {
        throw new ApiError('too_soon', 'The recipient has replied ten times within a day. Try again tomorrow.');
      }
    }),
    optOutTestRecipient: act((tx, { tenant, intro, now }) =>
      delivery.consents.optOut(tx, tenant, { phone: intro.recipient_phone, source: 'text', said: said('STOP') }, now),
    ),
    optInTestRecipient: act(async (tx, { tenant, intro: { recipient_phone: phone }, now }) => {
      if (!isTestNumber(phone)) {
        throw new ApiError(
          'test_number_required',
          'Only the recipient can opt in again, with a START reply. Use a test number, such as +15005550100.',
        );
      }
      await delivery.consents.optIn(tx, tenant, { phone, source: 'text', said: said('START') }, now);
    }),
    expireTestIntro: act(async (tx, at) => {
      if (await expireNow(deps, tx, at, at.now)) return;
      // Read again: it may have waited for another change.
      const { status } = await requireIntro(tx, at.tenant, at.introId);
      if (status !== 'expired') throw new ApiError('intro_closed', `This intro is ${status}, so it cannot expire.`);
    }),
    recordTestIntro: {
      ...act<'recordTestIntro'>(async (tx, _at, _body, take) => {
        await take?.receive(tx);
        await notifyTakesWaiting(tx);
      }),
      // A video is bound to its key by a hash of it.
      identify: (_caller: Caller, { body }: Input<'recordTestIntro'>) =>
        body instanceof Clip
          ? { media_type: body.mediaType, sha256: createHash('sha256').update(body.bytes).digest('hex') }
          : body,
      prepare: (caller: Caller, { params, body }: Input<'recordTestIntro'>) =>
        storeTake(caller, params.id, body instanceof Clip ? body : undefined),
    },
    failTestIntro: {
      ...act<'failTestIntro'>(async (tx, { tenant, introId, now }, { step, code }, take) =>
        step === 'recording'
          ? take?.receiveAndRefuse(tx, checkCode(code, TEST_FAILURES.recording))
          : delivery.failText(tx, tenant, introId, checkCode(code, TEST_FAILURES.delivery), now),
      ),
      async prepare(caller: Caller, { params, body: { step, code } }: Input<'failTestIntro'>) {
        if (step !== 'recording') return;
        checkCode(code, TEST_FAILURES.recording);
        return storeTake(caller, params.id);
      },
    },
  } satisfies Partial<Handlers>;
}
