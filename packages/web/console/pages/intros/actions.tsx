import type { ConsoleActionState, ConsoleIntro, ConsoleScheduledMessage } from '@foreword/contract';
import { useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { nowMs } from '../../clock.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { AnchorButton } from '../../parts/link-button.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { showToast } from '../../parts/toast-store.ts';
import { useSession } from '../../session.ts';
import { PARTS } from '../../texts/common.ts';
import { ACTIONS } from '../../texts/intros.ts';
import { useFormatMoment } from './moment.tsx';
import { Reassign } from './reassign.tsx';

type Asking = 'cancel' | 'reassign' | 'send' | null;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ text: ACTIONS.copied });
  } catch {
    showToast({ kind: 'bad', text: PARTS.notCopied });
  }
}

/** When it goes, in a few words: now, or at a time and why then. */
function whenOf({ due_at, held_for }: ConsoleScheduledMessage, format: (at: string) => string): string {
  if (Date.parse(due_at) <= nowMs()) return ACTIONS.atOnce;
  const at = format(due_at);
  return held_for === null ? at : `${at}, ${ACTIONS.because[held_for]}`;
}

function useIntroActions(intro: ConsoleIntro, close: () => void) {
  const input = { params: { id: intro.id } };
  const topics = ['intros', 'outbox'];
  const format = useFormatMoment();
  return {
    cancel: useAction({
      run: () => call('POST /intros/:id/cancel', input),
      topics,
      done: ACTIONS.cancelled,
      onDone: close,
      showsFailure: true,
    }),
    remind: useAction({
      run: () => call('POST /intros/:id/remind', input),
      topics,
      done: (promise) => ACTIONS.reminded(whenOf(promise, format)),
    }),
    send: useAction({
      run: () => call('POST /intros/:id/send-again', input),
      topics,
      done: (promise) => ACTIONS.sentAgain(whenOf(promise, format)),
      onDone: close,
      showsFailure: true,
    }),
    markSent: useAction({
      run: () => call('POST /intros/:id/mark-sent', input),
      topics,
      done: ACTIONS.markedSent,
    }),
  };
}

type Actions = ReturnType<typeof useIntroActions>;

/** What somebody looks for and cannot do just now stands there with its reason. */
const whyNot = (label: string, icon: IconName, can: ConsoleActionState, isLookedFor: boolean): MenuItem[] =>
  can.possible || can.reason === null || !isLookedFor
    ? []
    : [{ label, icon, disabled: true, hint: can.reason, run: () => undefined }];

/** Whatever can be done now, and is not the one button beside the menu. */
function itemsOf(intro: ConsoleIntro, actions: Actions, ask: (what: Asking) => void): MenuItem[] {
  const { actions: can, recipient_url: page, record_url: record } = intro;
  return [
    ...(page === null ? [] : [{ label: ACTIONS.copyPage, icon: 'link', run: () => void copy(page) } as const]),
    ...(record === null ? [] : [{ label: ACTIONS.copyRecord, icon: 'link', run: () => void copy(record) } as const]),
    ...(can.mark_sent.possible
      ? [{ label: ACTIONS.markSent, icon: 'send', run: () => actions.markSent.mutate() } as const]
      : []),
    ...(can.send_again.possible ? [{ label: ACTIONS.sendAgain, icon: 'send', run: () => ask('send') } as const] : []),
    ...whyNot(ACTIONS.remind, 'clock', can.remind, intro.status === 'requested'),
    ...whyNot(ACTIONS.sendAgain, 'send', can.send_again, intro.responsibility === 'service' && page !== null),
    ...(can.reassign.possible
      ? [{ label: ACTIONS.reassign, icon: 'people', run: () => ask('reassign') } as const]
      : []),
    ...(can.cancel.possible
      ? [{ label: ACTIONS.cancel, icon: 'close', danger: true, run: () => ask('cancel') } as const]
      : []),
  ];
}

/** The one thing that is most likely wanted beside a menu of the others. */
function FirstAction({ intro, actions }: { intro: ConsoleIntro; actions: Actions }) {
  const { member } = useSession();
  const { record_url: record, recipient_url: page, actions: can } = intro;
  if (record !== null && intro.member.id === member.id) {
    return (
      <AnchorButton href={record} icon="video">
        {ACTIONS.record}
      </AnchorButton>
    );
  }
  if (can.remind.possible) {
    return (
      <Button icon="clock" busy={actions.remind.isPending} onClick={() => actions.remind.mutate()}>
        {ACTIONS.remind}
      </Button>
    );
  }
  if (page !== null && intro.media !== null) {
    return (
      <Button icon="link" kind="quiet" onClick={() => void copy(page)}>
        {ACTIONS.copyPage}
      </Button>
    );
  }
  return null;
}

export function IntroActions({ intro }: { intro: ConsoleIntro }) {
  const [asking, setAsking] = useState<Asking>(null);
  const close = () => setAsking(null);
  const actions = useIntroActions(intro, close);
  const name = formatName(intro.recipient);
  const items = itemsOf(intro, actions, setAsking);
  return (
    <>
      <FirstAction intro={intro} actions={actions} />
      {items.length > 0 && <Menu text={ACTIONS.more} items={items} />}
      <Confirm
        open={asking === 'cancel'}
        onOpenChange={close}
        title={ACTIONS.cancelTitle}
        action={ACTIONS.cancel}
        cancel={ACTIONS.keep}
        danger
        busy={actions.cancel.isPending}
        error={actions.cancel.error}
        onConfirm={() => actions.cancel.mutate()}
      >
        {ACTIONS.cancelLead(name)}
      </Confirm>
      <Confirm
        open={asking === 'send'}
        onOpenChange={close}
        title={ACTIONS.sendAgainTitle}
        action={ACTIONS.sendAgainConfirm}
        busy={actions.send.isPending}
        error={actions.send.error}
        onConfirm={() => actions.send.mutate()}
      >
        {ACTIONS.sendAgainLead(name)}
      </Confirm>
      <Reassign intro={intro} open={asking === 'reassign'} onOpenChange={close} />
    </>
  );
}
