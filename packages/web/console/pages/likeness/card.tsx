/** Folder: consent to the use of a member's likeness. */

import type { Colleague, Likeness, LikenessConsent } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../api.ts';
import { formatCount } from '../../format.ts';
import { FieldsButton } from '../../parts/actions.tsx';
import { Card, DefinitionList, Notice } from '../../parts/display.tsx';
import { Field, type FieldInfo, More } from '../../parts/form.tsx';
import { Combobox } from '../../parts/overlays.tsx';
import { Time } from '../../parts/time.tsx';
import { load, refresh } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { PARTS } from '../../texts.ts';
import { formatCapped } from '../members/texts.ts';

const LIKENESS = {
  lead: {
    not_given: 'You give this consent with your first video, or here.',
    given: 'You agreed to the use of your face and voice.',
    withdrawn: 'You withdrew your consent, so you get no new intros.',
  },
  leadOf: {
    not_given: 'They give this consent with their first video.',
    given: 'They agreed to the use of their face and voice.',
    withdrawn: 'They withdrew their consent, so they get no new intros.',
  },
  withdrawnBy: { member: 'by the member', owner: 'by an owner', operator: 'by the administrator' },
  removed: (counts: { videos: number; taken_down: number; closed: number; reassigned: number }) =>
    [
      `Removed ${formatCount(counts.videos, 'video')} and ${formatCount(counts.taken_down, 'page')}.`,
      ...(counts.closed > 0 ? [`Closed ${formatCount(counts.closed, 'open intro')}.`] : []),
      ...(counts.reassigned > 0 ? [`Reassigned ${formatCount(counts.reassigned, 'open intro')}.`] : []),
    ].join(' '),
  withdraw: 'Withdraw consent',
  reassignHint: 'The new member is notified. Recorded intros are closed, because they show the member who withdrew.',
  to: 'Reassign to',
  chooseFirst: 'Choose a member.',
} as const;

const ConsentText = ({ text }: Pick<Likeness, 'text'>) => (
  <div className="grid gap-12">
    {[text.short, ...text.paragraphs].map((paragraph) => (
      <p key={paragraph}>{paragraph}</p>
    ))}
  </div>
);

/** Shows the whole text before the member agrees. */
const GiveButton = ({ text, state }: Pick<Likeness, 'text' | 'state'>) => (
  <FieldsButton
    button={{ label: state === 'withdrawn' ? 'Give consent again' : 'Give consent' }}
    title="Give your consent"
    submit="I agree"
    list={[]}
    initial={{}}
    run={() => call('POST /home/likeness', { body: { version: text.version } })}
    topics={['members']}
    done="Consent given"
  >
    {() => <ConsentText text={text} />}
  </FieldsButton>
);

interface WithdrawProps {
  likeness: Likeness;
  member: { readonly id: string; readonly name: string };
  /** The signed-in member. */
  isOwn: boolean;
}

interface Withdrawal {
  readonly choice: 'cancel' | 'reassign';
  readonly to: Colleague | null;
}

/** Says what will be removed, and decides about the open intros. */
function WithdrawButton({ likeness, member, isOwn }: WithdrawProps) {
  const { open_intros: openIntros, live_pages: pages, colleagues } = likeness;
  const choice: FieldInfo<Withdrawal> = {
    ...{ name: 'choice', label: formatCapped(openIntros, 'open intro'), kind: 'radios' },
    options: [
      { value: 'cancel', label: 'Close', hint: 'Recording links stop working, and your systems are notified.' },
      {
        ...{ value: 'reassign', label: 'Reassign', hint: LIKENESS.reassignHint },
        disabled: colleagues.length === 0,
      },
    ],
  };
  const to: FieldInfo<Withdrawal> = { name: 'to', label: LIKENESS.to, missing: LIKENESS.chooseFirst };
  return (
    <FieldsButton<Withdrawal, unknown>
      button={{ label: LIKENESS.withdraw }}
      title={isOwn ? 'Withdraw your consent?' : `Withdraw ${member.name}’s consent?`}
      lead={
        <>
          All videos, pictures, and the profile photo are deleted within a minute. Their pages close, and pending texts
          are not sent. This can’t be undone. {pages.count > 0 && `${formatCapped(pages, 'live page')} will close.`}
        </>
      }
      submit={LIKENESS.withdraw}
      kind="danger"
      list={(chosen) => [...(openIntros.count > 0 ? [choice] : []), ...(chosen.choice === 'reassign' ? [to] : [])]}
      initial={{ choice: 'cancel', to: null }}
      controls={{
        to: ({ value, error, onChange }) => (
          <Field label={LIKENESS.to} error={value !== null && error === LIKENESS.chooseFirst ? undefined : error}>
            <Combobox
              items={colleagues}
              value={value}
              onChange={onChange}
              labelOf={({ name }) => name}
              placeholder={PARTS.chooseMember}
              searchLabel={PARTS.searchMembers}
            />
          </Field>
        ),
      }}
      run={(chosen) => {
        const body = chosen.choice === 'reassign' && chosen.to !== null ? { to: chosen.to.id } : {};
        return call('POST /members/{id}/likeness/withdraw', { params: { id: member.id }, body });
      }}
      topics={['members', 'intros']}
      done="Consent withdrawn"
    />
  );
}

const REMOVING_POLL_MS = 2_000;

const isRemoving = (likeness: Likeness | undefined): boolean =>
  likeness?.state === 'withdrawn' && likeness.removal !== null && likeness.removal.finished_at === null;

/** Starts with the topic of members, whose live updates include withdrawals. */
export const likenessQuery = (id: string) =>
  load(['members', 'likeness', id], 'GET /members/{id}/likeness', { params: { id } });

/** The consent of a member. Only they and owners can withdraw it. While something is removed, its progress is read. */
export function MemberLikeness({ member }: Pick<WithdrawProps, 'member'>) {
  const { id } = member;
  const isOwner = useMay('owner');
  const isOwn = useSession().member.id === id;
  const refetchInterval = ({ state }: { state: { data: Likeness | undefined } }) =>
    isRemoving(state.data) ? REMOVING_POLL_MS : false;
  const { data } = useQuery({ ...likenessQuery(id), refetchInterval });
  if (data === undefined) return null;
  return <LikenessCard likeness={data} member={member} isOwn={isOwn} mayWithdraw={isOwner || isOwn} />;
}

/** The photo and the intros that this page shows have changed. */
function useRefreshWhenRemoved(finishedAt: string | null): void {
  const queries = useQueryClient();
  const shown = useRef(finishedAt);
  useEffect(() => {
    if (finishedAt === shown.current) return;
    shown.current = finishedAt;
    if (finishedAt !== null) void refresh(queries, 'members');
  }, [queries, finishedAt]);
}

interface LikenessCardProps extends WithdrawProps {
  mayWithdraw: boolean;
}

function LikenessCard({ likeness, member, isOwn, mayWithdraw }: LikenessCardProps) {
  const { state, removal, consents } = likeness;
  useRefreshWhenRemoved(removal?.finished_at ?? null);
  return (
    <Card title="Consent to videos" lead={(isOwn ? LIKENESS.lead : LIKENESS.leadOf)[state]}>
      {state === 'withdrawn' && removal !== null && (
        <div role="status">
          <Notice tone={removal.finished_at === null ? 'info' : 'good'}>
            {removal.finished_at === null
              ? 'Removing videos and pages. This takes less than a minute.'
              : LIKENESS.removed(removal)}
          </Notice>
        </div>
      )}
      {isOwn && state !== 'given' && !isRemoving(likeness) && <GiveButton text={likeness.text} state={state} />}
      <More label="What this covers">
        <ConsentText text={likeness.text} />
        {consents.map((consent) => (
          <Consent key={consent.id} consent={consent} />
        ))}
        {mayWithdraw && state !== 'withdrawn' && <WithdrawButton likeness={likeness} member={member} isOwn={isOwn} />}
      </More>
    </Card>
  );
}

function Given({ at, by }: { at: string | null; by: LikenessConsent['given_by'] }) {
  if (at === null) return 'No record';
  return (
    <>
      <Time at={at} /> {by === 'console' ? 'in the console' : 'with a recording'}
    </>
  );
}

const Consent = ({ consent }: { consent: LikenessConsent }) => (
  <DefinitionList
    items={[
      ['Given', <Given key="given" at={consent.given_at} by={consent.given_by} />],
      ['Version', consent.version],
      [
        'Withdrawn',
        consent.withdrawn_at === null ? null : (
          <span key="withdrawn">
            <Time at={consent.withdrawn_at} />{' '}
            {consent.withdrawn_by !== null && LIKENESS.withdrawnBy[consent.withdrawn_by]}
          </span>
        ),
      ],
    ]}
  />
);
