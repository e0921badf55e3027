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
import { call } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { useLinkedDialog } from '../../hooks.ts';
import { lazyComponent } from '../../lazy.ts';
import { Ask, FieldsDialog } from '../../parts/actions.tsx';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { type IconName, Notice } from '../../parts/display.tsx';
import { type Bound, Field, type FieldInfo } from '../../parts/form.tsx';
import { Combobox, Menu } from '../../parts/overlays.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { PARTS } from '../../texts.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { DECLINES } from './decline-texts.ts';
import { findNextStep, type NextAction } from './next-step.ts';
import { copyLink, SHARE_LINK, ShareLink } from './share-link.tsx';
import { ACTIONS, INTRO } from './texts.ts';

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
      labelOf={nameOf}
      placeholder={PARTS.chooseMember}
      searchLabel={PARTS.searchMembers}
      busy={colleagues.isFetching}
      {...(colleagues.data?.colleagues.length === 0 && { empty: PARTS.noMembers })}
      isOpen
    />
  );
}

/** The team gives any intro to another member; members give away their own. */
function Reassign({ intro, onClose }: DialogProps) {
  const isTeam = useMay('manager');
  const navigate = useNavigate();
  const params = { id: intro.id };
  const choice = ({ value, onChange, error }: Bound<Person | Colleague | null>) => (
    <Field label={ACTIONS.reassignTo} error={error}>
      {isTeam ? (
        <MemberChoice
          value={value !== null && 'first_name' in value ? value : null}
          onChange={onChange}
          exceptId={intro.member.id}
          isOpen
        />
      ) : (
        <ColleagueChoice value={value !== null && 'name' in value ? value : null} onChange={onChange} />
      )}
    </Field>
  );
  return (
    <FieldsDialog<{ member: Person | Colleague | null }, string>
      title={ACTIONS.reassignTitle}
      lead={ACTIONS.reassignLead(formatName(intro.member))}
      submit={ACTIONS.reassign}
      list={[{ name: 'member', label: ACTIONS.reassignTo }]}
      isDisabled={({ member }) => member === null}
      initial={{ member: null }}
      controls={{ member: choice }}
      run={async ({ member }) => {
        const body = { member: member?.id ?? '' };
        await call('POST /intros/{id}/reassign', { params, body });
        return member === null ? '' : nameOf(member);
      }}
      topics={['intros']}
      done={ACTIONS.reassigned}
      // To a member, the intros of others do not exist.
      onDone={() => isTeam || void navigate({ to: '/home' })}
      onClose={onClose}
    />
  );
}

function CorrectPhone({ intro: { id, recipient, status, responsibility }, onClose }: DialogProps) {
  const isTexted = status !== 'requested' && responsibility === 'service';
  return (
    <FieldsDialog
      title={ACTIONS.correctPhone}
      lead={ACTIONS.correctPhoneLead(formatName(recipient), isTexted)}
      submit={isTexted ? ACTIONS.correctAndSend : PARTS.save}
      isDisabled={({ phone }) => phone === recipient.phone}
      list={[{ name: 'phone', label: ACTIONS.phone, kind: 'phone' }]}
      initial={{ phone: recipient.phone }}
      run={(body) => call('POST /v1/intros/{id}/correct_phone', { params: { id }, body })}
      topics={['intros', 'outbox']}
      done={ACTIONS.corrected}
      onClose={onClose}
    />
  );
}

interface Declined {
  readonly reason: DeclineReason;
  readonly message: string;
}

const DECLINE_REASON: FieldInfo<Declined> = {
  ...{ name: 'reason', label: 'Reason', kind: 'radios' },
  options: DECLINE_REASONS.map((value) => ({ value, label: DECLINES.reasons[value] })),
};

const DECLINE_MESSAGE: FieldInfo<Declined> = {
  ...{ name: 'message', label: 'In your words', kind: 'area' },
  most: DECLINE_MESSAGE_MAX_LENGTH,
};

/** The member says why they cannot record their own intro. */
const Decline = ({ intro: { id }, onClose }: DialogProps) => (
  <FieldsDialog<Declined, unknown>
    title="Decline this intro?"
    lead="Owners and managers are notified and decide who records it."
    submit={DECLINES.decline}
    list={({ reason }) => (reason === 'other' ? [DECLINE_REASON, DECLINE_MESSAGE] : [DECLINE_REASON])}
    initial={{ reason: 'not_meeting', message: '' }}
    isDisabled={({ reason, message }) => reason === 'other' && message.trim() === ''}
    run={({ reason, message: words }) => {
      const message = reason === 'other' ? words.replaceAll(/\s+/g, ' ') : null;
      return call('POST /intros/{id}/decline', { params: { id }, body: { reason, message } });
    }}
    topics={['intros']}
    done="You declined this intro."
    onClose={onClose}
  />
);

const EraseDialog = lazyComponent(() => import('../erasures/dialog.tsx'), 'EraseDialog');

/** The time a message will be sent, with the reason for a delay. */
function describeDueTime({ due_at, held_for }: ConsoleScheduledMessage, format: Format): string {
  if (Date.parse(due_at) <= nowMs()) return ACTIONS.now;
  const at = format(due_at);
  return held_for === null ? at : `${at}, ${ACTIONS.because[held_for]}`;
}

type Format = (at: string) => string;
/** Actions that ask first, or need nothing else. */
type Performed = 'remind' | 'mark_sent' | 'settle' | 'retry_recording' | 'resend' | 'cancel' | 'take_down';

/** Returns what to say when it is done. */
async function perform(name: Performed, { id }: ConsoleIntro, format: Format): Promise<string> {
  const input = { params: { id } };
  switch (name) {
    case 'remind':
      return ACTIONS.reminded(describeDueTime(await call('POST /intros/{id}/remind', input), format));
    case 'resend':
      return ACTIONS.resent(describeDueTime(await call('POST /intros/{id}/send-again', input), format));
    case 'mark_sent':
      await call('POST /v1/intros/{id}/mark_sent', input);
      return ACTIONS.markedSent;
    case 'settle':
      await call('POST /intros/{id}/settle-reply', input);
      return ACTIONS.settled;
    case 'retry_recording':
      await call('POST /v1/intros/{id}/retry_recording', input);
      return INTRO.recording.retried;
    case 'cancel':
      await call('POST /v1/intros/{id}/cancel', input);
      return ACTIONS.cancelled;
    case 'take_down':
      await call('POST /v1/intros/{id}/take_down', input);
      return ACTIONS.takenDown;
  }
}

const TOPICS = ['intros', 'outbox'];

const say = (done: string): string => done;

/** A text that was not sent automatically, because the appointment has started, is not a second one. */
function resendTexts({ delivery_error: error, recipient }: ConsoleIntro) {
  const name = formatName(recipient);
  if (error?.code === 'appointment_over') {
    const { sendAnyway: label, sendAnywayTitle: title } = ACTIONS;
    return { label, title, action: label, children: ACTIONS.sendAnywayLead(name) };
  }
  const { resend: label, resendTitle: title, resendConfirm: action } = ACTIONS;
  return { label, title, action, children: ACTIONS.resendLead(name) };
}

/** Texts of the dialog that confirms an action. */
function questionOf(name: 'cancel' | 'take_down' | 'resend', intro: ConsoleIntro) {
  const recipient = formatName(intro.recipient);
  if (name === 'resend') return resendTexts(intro);
  if (name === 'cancel') {
    const { cancelTitle: title, cancel: action, keep: cancel } = ACTIONS;
    return { title, action, cancel, danger: true, children: ACTIONS.cancelLead(recipient) };
  }
  const { takeDownTitle: title, takeDown: action, keepPage: cancel } = ACTIONS;
  return { title, action, cancel, danger: true, children: ACTIONS.takeDownLead(recipient) };
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

/** The dialogs that a link to the intro may open. */
const LINKED: readonly ActionName[] = ['reassign', 'correct_phone'];

/** In this order. The others are buttons only. */
const IN_MENU: readonly ActionName[] = [
  ...(['copy_page', 'copy_record', 'mark_sent', 'resend', 'remind', 'correct_phone'] as const),
  ...(['decline', 'cancel', 'take_down', 'erase'] as const),
];

const leads = (label: string, icon: IconName, href: string | null): IntroAction => ({
  ...{ label, icon, can: href !== null, href: href ?? '', run: () => undefined },
});

const copies = (label: string, url: string | null): IntroAction => ({
  ...{ label, icon: 'link', can: url !== null, run: () => void copyLink(url ?? '') },
});

/** Every action of an intro once, and the dialog that is open. */
export function useIntroActions(intro: ConsoleIntro) {
  const [dialog, open] = useState<ActionName | null>(null);
  const close = () => open(null);
  const format = useFormatMoment();
  const { isPending, variables, mutate } = useAction({
    run: (name: Performed) => perform(name, intro, format),
    topics: TOPICS,
    done: say,
  });
  const isOwner = useMay('owner');
  const { actions: can, media, record_url: record, recipient, status } = intro;
  const { phone } = recipient;
  // The video goes when the page closes.
  const page = media && intro.recipient_url;
  const reasonOf = ({ reason, possible_at: at }: ConsoleActionState, isExpected: boolean) =>
    isExpected && reason !== null ? { reason: at === null ? reason : ACTIONS.remindAgain(format(at)) } : {};
  const dialogAction = (name: ActionName, label: string, icon: IconName, isPossible: boolean): IntroAction => ({
    label,
    icon,
    can: isPossible,
    run: () => open(name),
  });
  const directAction = (name: Performed, label: string, icon: IconName, isPossible: boolean): IntroAction => ({
    label,
    icon,
    can: isPossible,
    busy: isPending && variables === name,
    run: () => mutate(name),
  });
  const all: Readonly<Record<ActionName, IntroAction>> = {
    record: leads(ACTIONS.record, 'video', record),
    call: leads(ACTIONS.call, 'phone', phone === '' ? null : `tel:${phone}`),
    text: leads(ACTIONS.text, 'send', phone === '' ? null : `sms:${phone}`),
    settle: directAction('settle', ACTIONS.settle, 'check', true),
    copy_page: copies(SHARE_LINK.copy, page),
    copy_record: copies(ACTIONS.copyRecord, record),
    mark_sent: directAction('mark_sent', ACTIONS.markSent, 'send', can.mark_sent.possible),
    remind: {
      ...directAction('remind', ACTIONS.remind, 'clock', can.remind.possible),
      ...reasonOf(can.remind, status === 'requested'),
    },
    retry_recording: directAction('retry_recording', INTRO.recording.retry, 'again', can.retry_recording.possible),
    resend: {
      ...dialogAction('resend', resendTexts(intro).label, 'send', page !== null && can.send_again.possible),
      ...reasonOf(can.send_again, intro.responsibility === 'service' && page !== null),
    },
    correct_phone: dialogAction(
      ...(['correct_phone', ACTIONS.correctPhone, 'phone'] as const),
      can.correct_phone.possible && (status !== 'sent' || page !== null),
    ),
    reassign: dialogAction('reassign', ACTIONS.reassign, 'people', can.reassign.possible),
    decline: dialogAction('decline', DECLINES.decline, 'close', can.decline.possible),
    cancel: { ...dialogAction('cancel', ACTIONS.cancel, 'close', can.cancel.possible), danger: true },
    take_down: { ...dialogAction('take_down', ACTIONS.takeDown, 'close', can.take_down.possible), danger: true },
    erase: { ...dialogAction('erase', ACTIONS.erase, 'trash', isOwner && phone !== ''), danger: true },
  };
  useLinkedDialog((hash) => open(LINKED.find((name) => name === hash && all[name].can) ?? null));
  return { all, dialogs: <Dialogs intro={intro} dialog={dialog} onClose={close} /> };
}

interface DialogsProps extends DialogProps {
  dialog: ActionName | null;
}

function Dialogs({ intro, dialog, onClose }: DialogsProps): ReactNode {
  const format = useFormatMoment();
  switch (dialog) {
    case 'cancel':
    case 'take_down':
    case 'resend':
      return (
        <Ask
          {...questionOf(dialog, intro)}
          run={() => perform(dialog, intro, format)}
          topics={TOPICS}
          done={say}
          onClose={onClose}
        />
      );
    case 'reassign':
      return <Reassign intro={intro} onClose={onClose} />;
    case 'correct_phone':
      return <CorrectPhone intro={intro} onClose={onClose} />;
    case 'decline':
      return <Decline intro={intro} onClose={onClose} />;
    case 'erase':
      return (
        <Suspense>
          <EraseDialog phone={intro.recipient.phone} onClose={onClose} />
        </Suspense>
      );
    default:
      return null;
  }
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

const IntroButton = ({
  action: { label, icon, busy = false, href, run },
  isFirst,
}: {
  action: IntroAction;
  isFirst: boolean;
}) => {
  const kind = isFirst ? 'primary' : 'quiet';
  return href === undefined ? (
    <Button kind={kind} icon={icon} busy={busy} onClick={run} label={label} />
  ) : (
    <AnchorButton kind={kind} icon={icon} href={href} label={label} />
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
      {actions.reassign.can && !isShown('reassign') && <IntroButton action={actions.reassign} isFirst={false} />}
      {items.length > 0 && <Menu text={PARTS.more} items={items} />}
    </>
  );
}

/** Says what the intro waits for, with the buttons for it if the user can do something. */
export function NextStepCard({ intro, actions }: PartProps) {
  const { title, lead, actions: next, tone } = useNextStep(intro);
  return (
    <section aria-label="Next step">
      <Notice tone={tone} title={title}>
        {lead !== null && <p>{lead}</p>}
        {next.length > 0 && (
          <div className="form-actions">
            {next.map((name, at) =>
              name === 'send_link' ? (
                <SendLink key={name} url={intro.recipient_url} markSent={actions.mark_sent} />
              ) : (
                <IntroButton key={name} action={actions[name]} isFirst={at === 0} />
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
    {markSent.can && <IntroButton action={markSent} isFirst={false} />}
  </>
);
