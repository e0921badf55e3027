/** Folder: consent to the use of a member's likeness. */

import type { Likeness, LikenessConsent } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Card, DefinitionList } from '../../parts/card.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { refresh } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { LIKENESS } from '../../texts/likeness.ts';
import { GiveDialog } from './give-dialog.tsx';
import { ConsentText } from './text.tsx';
import { type OtherMember, WithdrawDialog } from './withdraw-dialog.tsx';

/** Starts with the topic of members, whose live updates include withdrawals. */
const likenessKey = (id: string) => ['members', 'likeness', id] as const;
const REMOVING_POLL_MS = 2_000;

const isRemoving = (likeness: Likeness | undefined): boolean =>
  likeness?.state === 'withdrawn' && likeness.removal !== null && likeness.removal.finished_at === null;

/** The signed-in member's own consent. */
export function OwnLikeness() {
  const { id } = useSession().member;
  const { data } = useQuery({
    queryKey: likenessKey(id),
    queryFn: ({ signal }) => call('GET /home/likeness', {}, signal),
    refetchInterval: ({ state }) => (isRemoving(state.data) ? REMOVING_POLL_MS : false),
  });
  return data === undefined ? null : <LikenessCard likeness={data} member={null} mayWithdraw />;
}

/** Another member's consent. Only owners can withdraw it on their behalf. */
export function MemberLikeness({ member }: { member: OtherMember }) {
  const isOwner = useMay('owner');
  const isOwn = useSession().member.id === member.id;
  const { data } = useQuery({
    queryKey: likenessKey(member.id),
    queryFn: ({ signal }) => call('GET /members/:id/likeness', { params: { id: member.id } }, signal),
    refetchInterval: ({ state }) => (isRemoving(state.data) ? REMOVING_POLL_MS : false),
  });
  if (data === undefined) return null;
  return <LikenessCard likeness={data} member={isOwn ? null : member} mayWithdraw={isOwner || isOwn} />;
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

interface LikenessCardProps {
  likeness: Likeness;
  /** Null: the signed-in member. */
  member: OtherMember | null;
  mayWithdraw: boolean;
}

function LikenessCard({ likeness, member, mayWithdraw }: LikenessCardProps) {
  const [dialog, setDialog] = useState<'give' | 'withdraw' | null>(null);
  const { state, removal, consents } = likeness;
  useRefreshWhenRemoved(removal?.finished_at ?? null);
  const close = () => setDialog(null);
  const isOwn = member === null;
  return (
    <Card title={LIKENESS.title} lead={(isOwn ? LIKENESS.lead : LIKENESS.leadOf)[state]}>
      {state === 'withdrawn' && removal !== null && (
        <div role="status">
          <Notice tone={removal.finished_at === null ? 'info' : 'good'}>
            {removal.finished_at === null ? LIKENESS.removing : LIKENESS.removed(removal)}
          </Notice>
        </div>
      )}
      <details className="likeness-text">
        <summary>{LIKENESS.text}</summary>
        <ConsentText text={likeness.text} />
      </details>
      {consents.map((consent) => (
        <Consent key={consent.id} consent={consent} />
      ))}
      <div className="form-actions">
        {isOwn && state !== 'given' && !isRemoving(likeness) && (
          <Button kind="quiet" onClick={() => setDialog('give')}>
            {state === 'withdrawn' ? LIKENESS.giveAgain : LIKENESS.give}
          </Button>
        )}
        {mayWithdraw && state !== 'withdrawn' && (
          <Button kind="quiet" onClick={() => setDialog('withdraw')}>
            {LIKENESS.withdraw}
          </Button>
        )}
      </div>
      {isOwn && <GiveDialog text={likeness.text} open={dialog === 'give'} onClose={close} />}
      <WithdrawDialog likeness={likeness} member={member} open={dialog === 'withdraw'} onClose={close} />
    </Card>
  );
}

function Given({ at, by }: { at: string | null; by: LikenessConsent['given_by'] }) {
  if (at === null) return LIKENESS.noRecord;
  return (
    <>
      <Time at={at} /> {by === 'console' ? LIKENESS.byConsole : LIKENESS.byRecording}
    </>
  );
}

const Consent = ({ consent }: { consent: LikenessConsent }) => (
  <DefinitionList
    items={[
      [LIKENESS.given, <Given key="given" at={consent.given_at} by={consent.given_by} />],
      [LIKENESS.version, consent.version],
      [
        LIKENESS.withdrawn,
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
