import type { ConsoleActionState, ConsoleIntro, ConsoleScheduledMessage } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { PARTS } from '../../texts/common.ts';
import { ACTIONS } from '../../texts/intros.ts';
import { Reassign } from './reassign.tsx';

type OpenDialog = 'cancel' | 'reassign' | 'resend' | null;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ text: ACTIONS.copied });
  } catch {
    showToast({ kind: 'bad', text: PARTS.notCopied });
  }
}

/** The time a message will be sent, with the reason for a delay. */
function describeDueTime({ due_at, held_for }: ConsoleScheduledMessage, format: (at: string) => string): string {
  if (Date.parse(due_at) <= nowMs()) return ACTIONS.now;
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
      done: (promise) => ACTIONS.reminded(describeDueTime(promise, format)),
    }),
    resend: useAction({
      run: () => call('POST /intros/:id/send-again', input),
      topics,
      done: (promise) => ACTIONS.resent(describeDueTime(promise, format)),
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

/** A disabled menu item that says why an expected action is not possible now. */
const disabledItem = (label: string, icon: IconName, can: ConsoleActionState, isExpected: boolean): MenuItem[] =>
  can.possible || can.reason === null || !isExpected
    ? []
    : [{ label, icon, disabled: true, hint: can.reason, run: () => undefined }];

/** Everything that is possible now, except the action of the main button. */
function menuItems(intro: ConsoleIntro, actions: Actions, open: (dialog: OpenDialog) => void): MenuItem[] {
  const { actions: can, recipient_url: page, record_url: record } = intro;
  return [
    ...(page === null ? [] : [{ label: ACTIONS.copyPage, icon: 'link', run: () => void copy(page) } as const]),
    ...(record === null ? [] : [{ label: ACTIONS.copyRecord, icon: 'link', run: () => void copy(record) } as const]),
    ...(can.mark_sent.possible
      ? [{ label: ACTIONS.markSent, icon: 'send', run: () => actions.markSent.mutate() } as const]
      : []),
    ...(can.send_again.possible ? [{ label: ACTIONS.resend, icon: 'send', run: () => open('resend') } as const] : []),
    ...disabledItem(ACTIONS.remind, 'clock', can.remind, intro.status === 'requested'),
    ...disabledItem(ACTIONS.resend, 'send', can.send_again, intro.responsibility === 'service' && page !== null),
    ...(can.reassign.possible
      ? [{ label: ACTIONS.reassign, icon: 'people', run: () => open('reassign') } as const]
      : []),
    ...(can.cancel.possible
      ? [{ label: ACTIONS.cancel, icon: 'close', danger: true, run: () => open('cancel') } as const]
      : []),
  ];
}

/** The most likely next action, as a button next to the menu. */
function MainAction({ intro, actions }: { intro: ConsoleIntro; actions: Actions }) {
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
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const actions = useIntroActions(intro, close);
  const name = formatName(intro.recipient);
  const items = menuItems(intro, actions, setDialog);
  return (
    <>
      <MainAction intro={intro} actions={actions} />
      {items.length > 0 && <Menu text={ACTIONS.more} items={items} />}
      <Confirm
        open={dialog === 'cancel'}
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
        open={dialog === 'resend'}
        onOpenChange={close}
        title={ACTIONS.resendTitle}
        action={ACTIONS.resendConfirm}
        busy={actions.resend.isPending}
        error={actions.resend.error}
        onConfirm={() => actions.resend.mutate()}
      >
        {ACTIONS.resendLead(name)}
      </Confirm>
      <Reassign intro={intro} open={dialog === 'reassign'} onOpenChange={close} />
    </>
  );
}
