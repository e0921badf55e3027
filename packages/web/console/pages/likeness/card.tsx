/** Folder: consent to the use of a member's likeness. */

import type { Colleague, Likeness, LikenessConsent } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Card, DefinitionList, Notice } from '../../parts/display.tsx';
import { Field, More, RadioGroup } from '../../parts/form.tsx';
import { Time } from '../../parts/time.tsx';
import { load, refresh, useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { LIKENESS } from './texts.ts';

const ConsentText = ({ text }: Pick<Likeness, 'text'>) => (
  <div className="grid gap-12">
    {[text.short, ...text.paragraphs].map((paragraph) => (
      <p key={paragraph}>{paragraph}</p>
    ))}
  </div>
);

/** Shows the whole text before the member agrees. */
function GiveDialog({ text, open, onClose }: Pick<Likeness, 'text'> & { open: boolean; onClose: () => void }) {
  const give = useAction({
    run: () => call('POST /home/likeness', { body: { version: text.version } }),
    topics: ['members'],
    showsFailure: true,
    done: LIKENESS.gave,
    onDone: onClose,
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={LIKENESS.giveTitle}
      submit={LIKENESS.giveAction}
      action={give}
      onSubmit={() => give.mutate()}
    >
      <ConsentText text={text} />
    </FormDialog>
  );
}

interface OtherMember {
  readonly id: string;
  readonly name: string;
}

interface WithdrawDialogProps {
  likeness: Likeness;
  /** Null: the signed-in member. */
  member: OtherMember | null;
  open: boolean;
  onClose: () => void;
}

/** Says what will be removed, and decides about the open intros. */
function WithdrawDialog({ likeness, member, open, onClose }: WithdrawDialogProps) {
  const [choice, setChoice] = useState<'cancel' | 'reassign'>('cancel');
  const [to, setTo] = useState<Colleague | null>(null);
  const [isSubmitted, setSubmitted] = useState(false);
  const { open_intros: openIntros, live_pages: pages, colleagues } = likeness;
  const isMissing = choice === 'reassign' && to === null;
  const withdraw = useAction({
    run() {
      const body = choice === 'reassign' && to !== null ? { to: to.id } : {};
      return member === null
        ? call('POST /home/likeness/withdraw', { body })
        : call('POST /members/{id}/likeness/withdraw', { params: { id: member.id }, body });
    },
    topics: ['members', 'intros'],
    showsFailure: true,
    done: LIKENESS.withdrew,
    onDone: onClose,
  });
  const confirm = () => {
    setSubmitted(true);
    if (!isMissing) withdraw.mutate();
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={member === null ? LIKENESS.withdrawTitle : LIKENESS.withdrawTitleOf(member.name)}
      lead={LIKENESS.withdrawLead}
      submit={LIKENESS.withdraw}
      kind="danger"
      action={withdraw}
      onSubmit={confirm}
    >
      {pages.count > 0 && <p>{LIKENESS.pages(pages)}</p>}
      {openIntros.count > 0 && (
        <Field label={LIKENESS.open(openIntros)} group>
          <RadioGroup
            label={LIKENESS.open(openIntros)}
            value={choice}
            onChange={setChoice}
            options={[
              { value: 'cancel', label: LIKENESS.cancel, hint: LIKENESS.cancelHint },
              {
                value: 'reassign',
                label: LIKENESS.reassign,
                hint: LIKENESS.reassignHint,
                disabled: colleagues.length === 0,
              },
            ]}
          />
        </Field>
      )}
      {choice === 'reassign' && (
        <Field label={LIKENESS.to} error={isSubmitted && isMissing ? LIKENESS.chooseFirst : undefined}>
          <Combobox
            items={colleagues}
            value={to}
            onChange={setTo}
            keyOf={({ id }) => id}
            labelOf={({ name }) => name}
            placeholder={LIKENESS.choose}
            searchLabel={LIKENESS.search}
          />
        </Field>
      )}
    </FormDialog>
  );
}

/** Starts with the topic of members, whose live updates include withdrawals. */
const likenessKey = (id: string) => ['members', 'likeness', id] as const;
const REMOVING_POLL_MS = 2_000;

const isRemoving = (likeness: Likeness | undefined): boolean =>
  likeness?.state === 'withdrawn' && likeness.removal !== null && likeness.removal.finished_at === null;

export const ownLikenessQuery = (member: string) => load(likenessKey(member), 'GET /home/likeness');
const likenessQuery = (id: string) => load(likenessKey(id), 'GET /members/{id}/likeness', { params: { id } });

/** While something is removed, its progress is read. */
const useLikeness = (query: ReturnType<typeof ownLikenessQuery>) =>
  useQuery({ ...query, refetchInterval: ({ state }) => (isRemoving(state.data) ? REMOVING_POLL_MS : false) }).data;

/** The signed-in member's own consent. */
export function OwnLikeness() {
  const data = useLikeness(ownLikenessQuery(useSession().member.id));
  return data === undefined ? null : <LikenessCard likeness={data} member={null} mayWithdraw />;
}

/** Another member's consent. Only owners can withdraw it on their behalf. */
export function MemberLikeness({ member }: { member: OtherMember }) {
  const { id } = member;
  const isOwner = useMay('owner');
  const isOwn = useSession().member.id === id;
  const data = useLikeness(likenessQuery(id));
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
      {isOwn && state !== 'given' && !isRemoving(likeness) && (
        <div className="form-actions">
          <Button kind="quiet" onClick={() => setDialog('give')}>
            {state === 'withdrawn' ? LIKENESS.giveAgain : LIKENESS.give}
          </Button>
        </div>
      )}
      <More label={LIKENESS.text}>
        <ConsentText text={likeness.text} />
        {consents.map((consent) => (
          <Consent key={consent.id} consent={consent} />
        ))}
        {mayWithdraw && state !== 'withdrawn' && (
          <div className="form-actions">
            <Button kind="quiet" onClick={() => setDialog('withdraw')}>
              {LIKENESS.withdraw}
            </Button>
          </div>
        )}
      </More>
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
