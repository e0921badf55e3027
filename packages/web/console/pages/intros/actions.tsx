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
import { type ReactNode, Suspense, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { lazyComponent } from '../../lazy.ts';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { type IconName, Notice } from '../../parts/display.tsx';
import { Field, PhoneNumberField, RadioGroup, TextArea } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { DECLINES } from './decline-texts.ts';
import { findNextStep, type NextAction } from './next-step.ts';
import { copyLink, SHARE_LINK, ShareLink } from './share-link.tsx';
import { ACTIONS, INTRO, NEXT } from './texts.ts';

interface DialogProps {
  intro: ConsoleIntro;
  onClose: () => void;
}

const nameOf = (one: Person | Colleague): string => ('name' in one ? one.name : formatName(one));

interface ColleagueChoiceProps {
  value: Colleague | null;
  onChange: (colleague: Colleague | null) => void;
}

/** For members, who may not list the team. */
function ColleagueChoice({ value, onChange }: ColleagueChoiceProps) {
  const colleagues = useQuery(load(['members', 'colleagues'], 'GET /colleagues'));
  return (
    <Combobox<Colleague>
      items={colleagues.data?.colleagues ?? []}
      value={value}
      onChange={onChange}
      keyOf={({ id }) => id}
      labelOf={nameOf}
      placeholder={ACTIONS.reassignChoose}
      searchLabel={ACTIONS.reassignSearch}
      busy={colleagues.isFetching}
      isOpen
    />
  );
}

/** The team gives any intro to another member; members give away their own. */
function Reassign({ intro, onClose }: DialogProps) {
  const [chosen, setChosen] = useState<Person | Colleague | null>(null);
  const isTeam = useMay('manager');
  const navigate = useNavigate();
  const params = { id: intro.id };
  const action = useAction({
    run: async ({ id: member }: Person | Colleague) => {
      if (isTeam) await call('POST /intros/{id}/reassign', { params, body: { member } });
      else await call('POST /intros/{id}/hand-over', { params, body: { member } });
    },
    topics: ['intros'],
    done: (_, member) => ACTIONS.reassigned(nameOf(member)),
    onDone: () => {
      onClose();
      // To a member, the intros of others do not exist.
      if (!isTeam) void navigate({ to: '/home' });
    },
    showsFailure: true,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={ACTIONS.reassignTitle}
      lead={ACTIONS.reassignLead(formatName(intro.member))}
      submit={ACTIONS.reassign}
      onSubmit={() => chosen !== null && action.mutate(chosen)}
      disabled={chosen === null}
      action={action}
      fields={['member']}
    >
      <Field label={ACTIONS.reassignTo} error={fieldProblem(action.error, 'member')}>
        {isTeam ? (
          <MemberChoice
            value={chosen !== null && 'first_name' in chosen ? chosen : null}
            onChange={setChosen}
            exceptId={intro.member.id}
          />
        ) : (
          <ColleagueChoice value={chosen !== null && 'name' in chosen ? chosen : null} onChange={setChosen} />
        )}
      </Field>
    </FormDialog>
  );
}

function CorrectPhone({ intro, onClose }: DialogProps) {
  const { recipient, status, responsibility } = intro;
  const [phone, setPhone] = useState(recipient.phone);
  const action = useAction({
    run: () => call('POST /v1/intros/{id}/correct_phone', { params: { id: intro.id }, body: { phone } }),
    topics: ['intros', 'outbox'],
    done: ACTIONS.corrected,
    onDone: onClose,
    showsFailure: true,
  });
  const isTexted = status !== 'requested' && responsibility === 'service';
  return (
    <FormDialog
      onClose={onClose}
      title={ACTIONS.correctPhone}
      lead={ACTIONS.correctPhoneLead(formatName(recipient), isTexted)}
      submit={isTexted ? ACTIONS.correctAndSend : ACTIONS.correctAndSave}
      onSubmit={() => action.mutate()}
      disabled={phone === recipient.phone}
      action={action}
      fields={['phone']}
    >
      <PhoneNumberField
        label={ACTIONS.phone}
        value={phone}
        onChange={setPhone}
        error={fieldProblem(action.error, 'phone')}
      />
    </FormDialog>
  );
}

/** The member says why they cannot record their own intro. */
function Decline({ intro, onClose }: DialogProps) {
  const [reason, setReason] = useState<DeclineReason>('not_meeting');
  const [words, setWords] = useState('');
  const message = reason === 'other' ? words.replaceAll(/\s+/g, ' ').trim() : null;
  const action = useAction({
    run: () => call('POST /intros/{id}/decline', { params: { id: intro.id }, body: { reason, message } }),
    topics: ['intros'],
    done: DECLINES.done,
    onDone: onClose,
    showsFailure: true,
  });
  return (
    <FormDialog
      onClose={onClose}
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

const EraseDialog = lazyComponent(() => import('../erasures/dialog.tsx'), 'EraseDialog');

/** The time a message will be sent, with the reason for a delay. */
function describeDueTime({ due_at, held_for }: ConsoleScheduledMessage, format: (at: string) => string): string {
  if (Date.parse(due_at) <= nowMs()) return ACTIONS.now;
  const at = format(due_at);
  return held_for === null ? at : `${at}, ${ACTIONS.because[held_for]}`;
}

function useMutations({ id }: ConsoleIntro, close: () => void) {
  const input = { params: { id } };
  const topics = ['intros', 'outbox'];
  const format = useFormatMoment();
  const confirmed = { topics, onDone: close, showsFailure: true };
  return {
    cancel: useAction({ run: () => call('POST /v1/intros/{id}/cancel', input), done: ACTIONS.cancelled, ...confirmed }),
    takeDown: useAction({
      run: () => call('POST /v1/intros/{id}/take_down', input),
      done: ACTIONS.takenDown,
      ...confirmed,
    }),
    resend: useAction({
      run: () => call('POST /intros/{id}/send-again', input),
      done: (promise) => ACTIONS.resent(describeDueTime(promise, format)),
      ...confirmed,
    }),
    remind: useAction({
      run: () => call('POST /intros/{id}/remind', input),
      topics,
      done: (promise) => ACTIONS.reminded(describeDueTime(promise, format)),
    }),
    markSent: useAction({
      run: () => call('POST /v1/intros/{id}/mark_sent', input),
      topics,
      done: ACTIONS.markedSent,
    }),
    settle: useAction({
      run: () => call('POST /intros/{id}/settle-reply', input),
      topics,
      done: ACTIONS.settled,
    }),
    retryRecording: useAction({
      run: () => call('POST /v1/intros/{id}/retry_recording', input),
      topics,
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

/** Something that can be done with an intro: a button of the next step, or an item of the menu. */
interface IntroAction {
  readonly label: string;
  readonly icon: IconName;
  readonly can: boolean;
  /** Why it is not possible now, for an action that people expect. */
  readonly reason?: string | null;
  readonly danger?: true;
  readonly busy?: boolean;
  /** Opened in place of running something. */
  readonly href?: string;
  readonly run: () => void;
}

type ActionName =
  | Exclude<NextAction, 'send_link'>
  | 'copy_page'
  | 'copy_record'
  | 'mark_sent'
  | 'decline'
  | 'cancel'
  | 'take_down'
  | 'erase';

/** In this order. The others are buttons only. */
const IN_MENU: readonly ActionName[] = [
  ...(['copy_page', 'copy_record', 'mark_sent', 'resend', 'remind', 'correct_phone'] as const),
  ...(['decline', 'cancel', 'take_down', 'erase'] as const),
];

const nothing = () => undefined;

/** Every action of an intro once, and the dialog that is open. */
export function useIntroActions(intro: ConsoleIntro) {
  const [dialog, open] = useState<ActionName | null>(null);
  const close = () => open(null);
  const on = useMutations(intro, close);
  const format = useFormatMoment();
  const isOwner = useMay('owner');
  const { actions: can, recipient_url: page, record_url: record, recipient, status } = intro;
  const { phone } = recipient;
  const reasonOf = ({ reason, possible_at: at }: ConsoleActionState, isExpected: boolean) =>
    isExpected && reason !== null ? { reason: at === null ? reason : ACTIONS.remindAgain(format(at)) } : {};
  const dialogAction = (name: ActionName, label: string, icon: IconName, isPossible: boolean): IntroAction => ({
    label,
    icon,
    can: isPossible,
    run: () => open(name),
  });
  const all: Readonly<Record<ActionName, IntroAction>> = {
    record: { label: ACTIONS.record, icon: 'video', can: record !== null, href: record ?? '', run: nothing },
    call: { label: ACTIONS.call, icon: 'phone', can: phone !== '', href: `tel:${phone}`, run: nothing },
    text: { label: ACTIONS.text, icon: 'send', can: phone !== '', href: `sms:${phone}`, run: nothing },
    settle: {
      label: ACTIONS.settle,
      icon: 'check',
      can: true,
      busy: on.settle.isPending,
      run: () => on.settle.mutate(),
    },
    copy_page: { label: SHARE_LINK.copy, icon: 'link', can: page !== null, run: () => void copyLink(page ?? '') },
    copy_record: {
      label: ACTIONS.copyRecord,
      icon: 'link',
      can: record !== null,
      run: () => void copyLink(record ?? ''),
    },
    mark_sent: {
      ...{ label: ACTIONS.markSent, icon: 'send', can: can.mark_sent.possible },
      ...{ busy: on.markSent.isPending, run: () => on.markSent.mutate() },
    },
    remind: {
      ...{ label: ACTIONS.remind, icon: 'clock', can: can.remind.possible, busy: on.remind.isPending },
      ...reasonOf(can.remind, status === 'requested'),
      run: () => on.remind.mutate(),
    },
    retry_recording: {
      ...{ label: INTRO.recording.retry, icon: 'again', can: can.retry_recording.possible },
      ...{ busy: on.retryRecording.isPending, run: () => on.retryRecording.mutate() },
    },
    resend: {
      ...dialogAction('resend', resendTexts(intro).label, 'send', can.send_again.possible),
      ...reasonOf(can.send_again, intro.responsibility === 'service' && page !== null),
    },
    correct_phone: dialogAction('correct_phone', ACTIONS.correctPhone, 'phone', can.correct_phone.possible),
    reassign: dialogAction('reassign', ACTIONS.reassign, 'people', can.reassign.possible || can.hand_over.possible),
    decline: dialogAction('decline', DECLINES.decline, 'close', can.decline.possible),
    cancel: { ...dialogAction('cancel', ACTIONS.cancel, 'close', can.cancel.possible), danger: true },
    take_down: { ...dialogAction('take_down', ACTIONS.takeDown, 'close', can.take_down.possible), danger: true },
    erase: { ...dialogAction('erase', ACTIONS.erase, 'trash', isOwner && phone !== ''), danger: true },
  };
  return { all, dialogs: <Dialogs intro={intro} dialog={dialog} on={on} onClose={close} /> };
}

interface DialogsProps extends DialogProps {
  dialog: ActionName | null;
  on: ReturnType<typeof useMutations>;
}

function Dialogs({ intro, dialog, on, onClose }: DialogsProps): ReactNode {
  const name = formatName(intro.recipient);
  const resend = resendTexts(intro);
  return (
    <>
      <Confirm
        open={dialog === 'cancel'}
        onOpenChange={onClose}
        title={ACTIONS.cancelTitle}
        action={ACTIONS.cancel}
        cancel={ACTIONS.keep}
        danger
        run={on.cancel}
      >
        {ACTIONS.cancelLead(name)}
      </Confirm>
      <Confirm
        open={dialog === 'take_down'}
        onOpenChange={onClose}
        title={ACTIONS.takeDownTitle}
        action={ACTIONS.takeDown}
        cancel={ACTIONS.keepPage}
        danger
        run={on.takeDown}
      >
        {ACTIONS.takeDownLead(name)}
      </Confirm>
      <Confirm
        open={dialog === 'resend'}
        onOpenChange={onClose}
        title={resend.title}
        action={resend.action}
        run={on.resend}
      >
        {resend.lead}
      </Confirm>
      {dialog === 'reassign' && <Reassign intro={intro} onClose={onClose} />}
      {dialog === 'correct_phone' && <CorrectPhone intro={intro} onClose={onClose} />}
      {dialog === 'decline' && <Decline intro={intro} onClose={onClose} />}
      {dialog === 'erase' && (
        <Suspense>
          <EraseDialog phone={intro.recipient.phone} onClose={onClose} />
        </Suspense>
      )}
    </>
  );
}

type Actions = ReturnType<typeof useIntroActions>['all'];

interface PartProps {
  intro: ConsoleIntro;
  actions: Actions;
}

function useNextStep(intro: ConsoleIntro) {
  const { member } = useSession();
  const format = useFormatMoment();
  return findNextStep(intro, { memberId: member.id, format });
}

const ActionButton = ({
  action: { label, icon, busy = false, href, run },
  isFirst,
}: {
  action: IntroAction;
  isFirst: boolean;
}) => {
  const kind = isFirst ? 'primary' : 'quiet';
  return href === undefined ? (
    <Button kind={kind} icon={icon} busy={busy} onClick={run}>
      {label}
    </Button>
  ) : (
    <AnchorButton kind={kind} icon={icon} href={href}>
      {label}
    </AnchorButton>
  );
};

/** The other actions, next to the heading. */
export function IntroMenu({ intro, actions }: PartProps) {
  const next = useNextStep(intro).actions;
  const isShown = (name: ActionName) =>
    next.some((one) => one === name) || (next.includes('send_link') && (name === 'copy_page' || name === 'mark_sent'));
  const items = IN_MENU.filter((name) => !isShown(name))
    .map((name) => actions[name])
    .filter(({ can, reason }) => can || reason != null)
    .map(({ can, reason, ...item }) => ({ ...item, ...(can ? {} : { disabled: true, hint: reason ?? '' }) }));
  return (
    <>
      {actions.reassign.can && !isShown('reassign') && <ActionButton action={actions.reassign} isFirst={false} />}
      {items.length > 0 && <Menu text={ACTIONS.more} items={items} />}
    </>
  );
}

/** Says what the intro waits for, with the buttons for it if the user can do something. */
export function NextStepCard({ intro, actions }: PartProps) {
  const { title, lead, actions: next, tone } = useNextStep(intro);
  return (
    <section aria-label={NEXT.title}>
      <Notice tone={tone} title={title}>
        {lead !== null && <p>{lead}</p>}
        {next.length > 0 && (
          <div className="form-actions">
            {next.map((name, at) =>
              name === 'send_link' ? (
                <SendLink key={name} url={intro.recipient_url} markSent={actions.mark_sent} />
              ) : (
                <ActionButton key={name} action={actions[name]} isFirst={at === 0} />
              ),
            )}
          </div>
        )}
      </Notice>
    </section>
  );
}

/** For a link that no carrier sends: copy or share it, then mark the intro as sent. */
const SendLink = ({ url, markSent }: { url: string | null; markSent: IntroAction }) => (
  <>
    {url !== null && <ShareLink url={url} />}
    {markSent.can && <ActionButton action={markSent} isFirst={false} />}
  </>
);
