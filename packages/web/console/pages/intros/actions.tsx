import type {
  Colleague,
  ConsoleActionState,
  ConsoleIntro,
  ConsoleScheduledMessage,
  DeclineReason,
} from '@foreword/contract';
import { DECLINE_MESSAGE_MAX_LENGTH, DECLINE_REASONS } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { lazyComponent } from '../../lazy.ts';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { type IconName, Notice } from '../../parts/display.tsx';
import { Field, RadioGroup, TextArea } from '../../parts/form.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { DECLINES } from './decline-texts.ts';
import { findNextStep, type NextAction } from './next-step.ts';
import { copyLink, SHARE_LINK, ShareLink } from './share-link.tsx';
import { ACTIONS, INTRO, NEXT } from './texts.ts';

interface ReassignProps {
  intro: ConsoleIntro;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function Reassign({ intro, open, onOpenChange }: ReassignProps) {
  const [chosen, setChosen] = useState<Person | null>(null);
  const action = useAction({
    run: (member: Person) =>
      call('POST /intros/{id}/reassign', { params: { id: intro.id }, body: { member: member.id } }),
    topics: ['intros'],
    done: (_, member) => ACTIONS.reassigned(formatName(member)),
    onDone: () => onOpenChange(false),
    showsFailure: true,
  });
  return (
    <FormDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={ACTIONS.reassignTitle}
      lead={ACTIONS.reassignLead(formatName(intro.member))}
      submit={ACTIONS.reassign}
      onSubmit={() => chosen !== null && action.mutate(chosen)}
      disabled={chosen === null}
      action={action}
      fields={['member']}
    >
      <Field label={ACTIONS.reassignTo} error={fieldProblem(action.error, 'member')}>
        {/* Enabled only when open: members also see this page, but may not list the team. */}
        <MemberChoice value={chosen} onChange={setChosen} exceptId={intro.member.id} enabled={open} />
      </Field>
    </FormDialog>
  );
}

interface DialogProps {
  intro: ConsoleIntro;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The member says why they cannot record their own intro. */
function Decline({ intro, open, onOpenChange }: DialogProps) {
  const [reason, setReason] = useState<DeclineReason>('not_meeting');
  const [words, setWords] = useState('');
  const message = reason === 'other' ? words.replaceAll(/\s+/g, ' ').trim() : null;
  const action = useAction({
    run: () => call('POST /intros/{id}/decline', { params: { id: intro.id }, body: { reason, message } }),
    topics: ['intros'],
    done: DECLINES.done,
    onDone: () => onOpenChange(false),
    showsFailure: true,
  });
  return (
    <FormDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={DECLINES.declineTitle}
      lead={DECLINES.declineLead}
      submit={DECLINES.decline}
      onSubmit={() => action.mutate()}
      disabled={message === ''}
      action={action}
      fields={['message']}
    >
      <RadioGroup
        label={DECLINES.reason}
        value={reason}
        onChange={setReason}
        options={DECLINE_REASONS.map((value) => ({ value, label: DECLINES.reasons[value] }))}
      />
      {reason === 'other' && (
        <Field
          label={DECLINES.words}
          hint={DECLINES.wordsHint(DECLINE_MESSAGE_MAX_LENGTH)}
          error={fieldProblem(action.error, 'message')}
        >
          <TextArea value={words} onChange={setWords} maxLength={DECLINE_MESSAGE_MAX_LENGTH} />
        </Field>
      )}
    </FormDialog>
  );
}

/** The member gives their own intro to a colleague. */
function HandOver({ intro, open, onOpenChange }: DialogProps) {
  const [chosen, setChosen] = useState<Colleague | null>(null);
  const isTeam = useMay('manager');
  const navigate = useNavigate();
  const colleagues = useQuery({
    ...load(['members', 'colleagues'], 'GET /colleagues'),
    enabled: open,
  });
  const action = useAction({
    run: (colleague: Colleague) =>
      call('POST /intros/{id}/hand-over', { params: { id: intro.id }, body: { member: colleague.id } }),
    topics: ['intros'],
    done: (_, { name }) => DECLINES.handedOverTo(name),
    onDone: () => {
      onOpenChange(false);
      // To a member, the intros of others do not exist.
      if (!isTeam) void navigate({ to: '/home' });
    },
    showsFailure: true,
  });
  return (
    <FormDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={DECLINES.handOverTitle}
      lead={DECLINES.handOverLead}
      submit={DECLINES.handOver}
      onSubmit={() => chosen !== null && action.mutate(chosen)}
      disabled={chosen === null}
      action={{ isPending: action.isPending, error: action.error ?? colleagues.error }}
      fields={['member']}
    >
      <Field label={DECLINES.colleague} error={fieldProblem(action.error, 'member')}>
        <Combobox<Colleague>
          items={colleagues.data?.colleagues ?? []}
          value={chosen}
          onChange={setChosen}
          keyOf={({ id }) => id}
          labelOf={({ name }) => name}
          placeholder={DECLINES.choose}
          searchLabel={DECLINES.search}
          busy={colleagues.isFetching}
        />
      </Field>
    </FormDialog>
  );
}

type OpenDialog = 'cancel' | 'reassign' | 'hand_over' | 'decline' | 'resend' | 'take_down' | 'erase' | null;

const EraseDialog = lazyComponent(() => import('../erasures/dialog.tsx'), 'EraseDialog');

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
      run: () => call('POST /v1/intros/{id}/cancel', input),
      topics,
      done: ACTIONS.cancelled,
      onDone: close,
      showsFailure: true,
    }),
    takeDown: useAction({
      run: () => call('POST /v1/intros/{id}/take_down', input),
      topics,
      done: ACTIONS.takenDown,
      onDone: close,
      showsFailure: true,
    }),
    remind: useAction({
      run: () => call('POST /intros/{id}/remind', input),
      topics,
      done: (promise) => ACTIONS.reminded(describeDueTime(promise, format)),
    }),
    resend: useAction({
      run: () => call('POST /intros/{id}/send-again', input),
      topics,
      done: (promise) => ACTIONS.resent(describeDueTime(promise, format)),
      onDone: close,
      showsFailure: true,
    }),
    markSent: useAction({
      run: () => call('POST /v1/intros/{id}/mark_sent', input),
      topics,
      done: ACTIONS.markedSent,
    }),
    retryRecording: useAction({
      run: () => call('POST /v1/intros/{id}/retry_recording', input),
      topics: ['intros'],
      done: INTRO.recording.retried,
    }),
  };
}

/** A text that was not sent automatically, because the appointment has started, is not a second one. */
function resendTexts({ delivery_error: error, recipient }: ConsoleIntro) {
  const name = formatName(recipient);
  if (error?.code === 'appointment_over') {
    const { sendAnyway: label, sendAnywayTitle: title } = ACTIONS;
    return { label, title, action: label, lead: ACTIONS.sendAnywayLead(name) };
  }
  const { resend: label, resendTitle: title, resendConfirm: action } = ACTIONS;
  return { label, title, action, lead: ACTIONS.resendLead(name) };
}

type IntroActions = ReturnType<typeof useIntroActions>;

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
        run={actions.cancel}
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
        run={actions.takeDown}
      >
        {ACTIONS.takeDownLead(name)}
      </Confirm>
      <Confirm
        open={dialog === 'resend'}
        onOpenChange={close}
        title={resendTexts(intro).title}
        action={resendTexts(intro).action}
        run={actions.resend}
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

/** For a link that no carrier sends: copy or share it, then mark the intro as sent. */
const SendLink = ({ intro, url, actions }: { intro: ConsoleIntro; url: string; actions: IntroActions }) => (
  <>
    <ShareLink url={url} />
    {intro.actions.mark_sent.possible && (
      <Button kind="plain" busy={actions.markSent.isPending} onClick={() => actions.markSent.mutate()}>
        {ACTIONS.markSent}
      </Button>
    )}
  </>
);

function Resend({ intro }: { intro: ConsoleIntro }) {
  const [isOpen, setOpen] = useState(false);
  const { resend } = useIntroActions(intro, () => setOpen(false));
  const { label, title, action, lead } = resendTexts(intro);
  return (
    <>
      <Button icon="send" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Confirm open={isOpen} onOpenChange={setOpen} title={title} action={action} run={resend}>
        {lead}
      </Confirm>
    </>
  );
}

function ReassignNow({ intro }: { intro: ConsoleIntro }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="people" onClick={() => setOpen(true)}>
        {ACTIONS.reassign}
      </Button>
      <Reassign intro={intro} open={isOpen} onOpenChange={setOpen} />
    </>
  );
}

function Action({ intro, action }: { intro: ConsoleIntro; action: NextAction }) {
  const actions = useIntroActions(intro, () => undefined);
  const { record_url: record, recipient_url: page } = intro;
  switch (action) {
    case 'record':
      return record === null ? null : (
        <AnchorButton href={record} icon="video">
          {ACTIONS.record}
        </AnchorButton>
      );
    case 'remind':
      return (
        <Button icon="clock" busy={actions.remind.isPending} onClick={() => actions.remind.mutate()}>
          {ACTIONS.remind}
        </Button>
      );
    case 'reassign':
      return <ReassignNow intro={intro} />;
    case 'retry_recording':
      return (
        <Button icon="again" busy={actions.retryRecording.isPending} onClick={() => actions.retryRecording.mutate()}>
          {INTRO.recording.retry}
        </Button>
      );
    case 'resend':
      return <Resend intro={intro} />;
    case 'send_link':
      return page === null ? null : <SendLink intro={intro} url={page} actions={actions} />;
  }
}

/** Says what the intro waits for, with the button for it if the user can do something. */
export function NextStepCard({ intro }: { intro: ConsoleIntro }) {
  const { member } = useSession();
  const format = useFormatMoment();
  const { title, lead, action, tone } = findNextStep(intro, { memberId: member.id, format });
  return (
    <section className="intro-next" aria-label={NEXT.title}>
      <Notice tone={tone} title={title}>
        {lead !== null && <p>{lead}</p>}
        {action !== null && (
          <div className="form-actions intro-next-actions">
            <Action intro={intro} action={action} />
          </div>
        )}
      </Notice>
    </section>
  );
}
