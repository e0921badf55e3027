import type { ConsoleActionState, ConsoleIntro, ConsoleScheduledMessage } from '@foreword/contract';
import { Suspense, useState } from 'react';
import { call } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { lazyComponent } from '../../lazy.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { DECLINES } from '../../texts/declines.ts';
import { ACTIONS, INTRO } from '../../texts/intros.ts';
import { SHARE_LINK } from '../../texts/share-link.ts';
import { Decline, HandOver } from './decline.tsx';
import { Reassign } from './reassign.tsx';
import { copyLink } from './share-link.tsx';

type OpenDialog = 'cancel' | 'reassign' | 'hand_over' | 'decline' | 'resend' | 'take_down' | 'erase' | null;

const EraseDialog = lazyComponent(() => import('../erasures/dialog.tsx'), 'EraseDialog');

/** The time a message will be sent, with the reason for a delay. */
function describeDueTime({ due_at, held_for }: ConsoleScheduledMessage, format: (at: string) => string): string {
  if (Date.parse(due_at) <= nowMs()) return ACTIONS.now;
  const at = format(due_at);
  return held_for === null ? at : `${at}, ${ACTIONS.because[held_for]}`;
}

export function useIntroActions(intro: ConsoleIntro, close: () => void) {
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
    takeDown: useAction({
      run: () => call('POST /intros/:id/take-down', input),
      topics,
      done: ACTIONS.takenDown,
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
    retryRecording: useAction({
      run: () => call('POST /intros/:id/retry-recording', input),
      topics: ['intros'],
      done: INTRO.recording.retried,
    }),
  };
}

/** A text that was not sent automatically, because the appointment has started, is not a second one. */
export function resendTexts({ delivery_error: error, recipient }: ConsoleIntro) {
  const name = formatName(recipient);
  if (error?.code === 'appointment_over') {
    const { sendAnyway: label, sendAnywayTitle: title } = ACTIONS;
    return { label, title, action: label, lead: ACTIONS.sendAnywayLead(name) };
  }
  const { resend: label, resendTitle: title, resendConfirm: action } = ACTIONS;
  return { label, title, action, lead: ACTIONS.resendLead(name) };
}

export type IntroActions = ReturnType<typeof useIntroActions>;

/** A disabled menu item that says why an expected action is not possible now. */
const disabledItem = (label: string, icon: IconName, can: ConsoleActionState, isExpected: boolean): MenuItem[] =>
  can.possible || can.reason === null || !isExpected
    ? []
    : [{ label, icon, disabled: true, hint: can.reason, run: () => undefined }];

function menuItems(intro: ConsoleIntro, actions: IntroActions, open: (dialog: OpenDialog) => void): MenuItem[] {
  const { actions: can, recipient_url: page, record_url: record } = intro;
  return [
    ...(page === null ? [] : [{ label: SHARE_LINK.copy, icon: 'link', run: () => void copyLink(page) } as const]),
    ...(record === null
      ? []
      : [{ label: ACTIONS.copyRecord, icon: 'link', run: () => void copyLink(record) } as const]),
    ...(can.mark_sent.possible
      ? [{ label: ACTIONS.markSent, icon: 'send', run: () => actions.markSent.mutate() } as const]
      : []),
    ...(can.send_again.possible
      ? [{ label: resendTexts(intro).label, icon: 'send', run: () => open('resend') } as const]
      : []),
    ...(can.remind.possible
      ? [{ label: ACTIONS.remind, icon: 'clock', run: () => actions.remind.mutate() } as const]
      : []),
    ...disabledItem(ACTIONS.remind, 'clock', can.remind, intro.status === 'requested'),
    ...disabledItem(ACTIONS.resend, 'send', can.send_again, intro.responsibility === 'service' && page !== null),
    ...(can.reassign.possible
      ? [{ label: ACTIONS.reassign, icon: 'people', run: () => open('reassign') } as const]
      : []),
    ...(can.hand_over.possible
      ? [{ label: DECLINES.handOver, icon: 'people', run: () => open('hand_over') } as const]
      : []),
    ...(can.decline.possible ? [{ label: DECLINES.decline, icon: 'close', run: () => open('decline') } as const] : []),
    ...(can.take_down.possible
      ? [{ label: ACTIONS.takeDown, icon: 'close', danger: true, run: () => open('take_down') } as const]
      : []),
  ];
}

/** Everything that is possible now, next to the heading. */
export function IntroMenu({ intro }: { intro: ConsoleIntro }) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const actions = useIntroActions(intro, close);
  const name = formatName(intro.recipient);
  const canErase = useMay('owner') && intro.recipient.phone !== '';
  const items = [
    ...menuItems(intro, actions, setDialog),
    ...(canErase
      ? [{ label: ACTIONS.erase, icon: 'trash', danger: true, run: () => setDialog('erase') } as const]
      : []),
  ];
  return (
    <>
      {/* Next to the menu, because an appointment that moved is what brings most people here. */}
      {intro.actions.cancel.possible && (
        <Button kind="quiet" onClick={() => setDialog('cancel')}>
          {ACTIONS.cancel}
        </Button>
      )}
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
        open={dialog === 'take_down'}
        onOpenChange={close}
        title={ACTIONS.takeDownTitle}
        action={ACTIONS.takeDown}
        cancel={ACTIONS.keepPage}
        danger
        busy={actions.takeDown.isPending}
        error={actions.takeDown.error}
        onConfirm={() => actions.takeDown.mutate()}
      >
        {ACTIONS.takeDownLead(name)}
      </Confirm>
      <Confirm
        open={dialog === 'resend'}
        onOpenChange={close}
        title={resendTexts(intro).title}
        action={resendTexts(intro).action}
        busy={actions.resend.isPending}
        error={actions.resend.error}
        onConfirm={() => actions.resend.mutate()}
      >
        {resendTexts(intro).lead}
      </Confirm>
      <Reassign intro={intro} open={dialog === 'reassign'} onOpenChange={close} />
      <HandOver intro={intro} open={dialog === 'hand_over'} onOpenChange={close} />
      <Decline intro={intro} open={dialog === 'decline'} onOpenChange={close} />
      {dialog === 'erase' && (
        <Suspense>
          <EraseDialog phone={intro.recipient.phone} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
