import type { TeamMemberDetail } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { ApiFailure } from '../../failure.ts';
import { useFocusProblem } from '../../focus-problem.ts';
import { formatName } from '../../format.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DefinitionList } from '../../parts/definition-list.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { useMay, useSession } from '../../session.ts';
import { MEMBER, MEMBERS, ROLE_NAMES } from '../../texts/members.ts';
import { type Touched, useTouched } from '../../touched.ts';
import { Conflict } from './conflict.tsx';
import { FIELD_KEYS, fieldsOf, type MemberFields, standsIn, toChange } from './fields.ts';
import { IntroLines } from './intro-lines.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { MemberForm } from './member-form.tsx';
import { Pages } from './pages-card.tsx';
import { Photo } from './photo.tsx';
import { memberQuery } from './query.ts';

const route = getRouteApi('/members/$id');
const BACK = { to: '/members', name: MEMBERS.title } as const;

export function MemberPage() {
  const { id } = route.useParams();
  const query = useQuery(memberQuery(id));
  const bones = (
    <>
      <PageHeader title={MEMBER.fallback} back={BACK} />
      <SkeletonRows rows={6} />
    </>
  );
  if (query.data === undefined && query.isError) {
    return (
      <>
        <PageHeader title={MEMBER.fallback} back={BACK} />
        <Loaded query={query}>{() => null}</Loaded>
      </>
    );
  }
  return (
    <Loaded query={query} bones={bones}>
      {(member) => <Member key={member.id} member={member} />}
    </Loaded>
  );
}

function Member({ member }: { member: TeamMemberDetail }) {
  const [leaving, setLeaving] = useState(false);
  const name = formatName(member);
  return (
    <>
      <PageHeader
        title={name}
        back={BACK}
        badge={member.active ? <Badge>{ROLE_NAMES[member.role]}</Badge> : <Badge>{MEMBERS.deactivated}</Badge>}
        actions={<ActiveAction member={member} onLeave={() => setLeaving(true)} />}
      />
      <div className="member-columns">
        <div className="stack">
          <Standing member={member} />
          <Photo member={member} />
          <Details member={member} />
        </div>
        <div className="stack">
          <OpenCard member={member} onSettle={() => setLeaving(true)} />
          <RecentCard member={member} />
          <Pages member={member} />
          <Facts member={member} />
        </div>
      </div>
      <LeaveDialog member={member} open={leaving} onOpenChange={setLeaving} />
    </>
  );
}

function ActiveAction({ member, onLeave }: { member: TeamMemberDetail; onLeave: () => void }) {
  const session = useSession();
  const isOwner = useMay('owner');
  const rejoin = useAction({
    run: () => call('POST /members/:id/reactivate', { params: { id: member.id } }),
    topics: ['members'],
    done: MEMBER.reactivated(formatName(member)),
  });
  if (member.role === 'owner' && !isOwner) return null;
  if (!member.active) {
    return (
      <Button kind="quiet" busy={rejoin.isPending} onClick={() => rejoin.mutate()}>
        {MEMBER.reactivate}
      </Button>
    );
  }
  // Nobody deactivates themselves, nor whoever is the last to give roles.
  if (member.id === session.member.id || member.is_last_owner) return null;
  return (
    <Button kind="quiet" onClick={onLeave}>
      {MEMBER.deactivate}
    </Button>
  );
}

/** What is out of the ordinary with them. */
function Standing({ member }: { member: TeamMemberDetail }) {
  return (
    <>
      {!member.active && <Notice title={MEMBER.outTitle}>{MEMBER.outLead}</Notice>}
      {member.shares_email && (
        <Notice tone="warn" title={MEMBER.sharesTitle}>
          {MEMBERS.sharedLead}
        </Notice>
      )}
    </>
  );
}

type Saving = Pick<Touched<MemberFields>, 'changes' | 'was'>;

/** Sends what was touched; where somebody else was quicker, brings what they have. */
function useSaving(id: string, draft: Touched<MemberFields>) {
  const queries = useQueryClient();
  const keep = (member: TeamMemberDetail) => queries.setQueryData(memberQuery(id).queryKey, member);
  return useAction({
    async run({ changes, was }: Saving) {
      const params = { id };
      try {
        return await call('POST /members/:id', { params, body: toChange({ changes, was }) });
      } catch (error) {
        if (!(error instanceof ApiFailure && error.code === 'edit_conflict')) throw error;
        const now = await call('GET /members/:id', { params });
        // What stands there is what was sent: an earlier try was saved, and its answer got lost.
        if (standsIn(changes, now)) return now;
        keep(now);
        throw error;
      }
    },
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.saved,
    onDone(saved, { changes }) {
      keep(saved);
      draft.settle(changes, fieldsOf(saved));
    },
  });
}

function Details({ member }: { member: TeamMemberDetail }) {
  const draft = useTouched(fieldsOf(member));
  const { fields, isDirty } = draft;
  const { mutate, isPending, error, reset } = useSaving(member.id, draft);
  // What was sent and is written already is not yet known to be mine.
  const clashes = isPending ? [] : draft.clashes;
  const form = useFocusProblem<HTMLFormElement>(error);
  const discard = (keys?: readonly (keyof MemberFields)[]) => {
    draft.discard(keys);
    reset();
  };
  const insist = () => {
    draft.insist();
    reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDirty && clashes.length === 0 && !isPending) mutate(draft);
  };
  return (
    <Card title={MEMBER.details}>
      <form ref={form} noValidate className="form" onSubmit={submit}>
        <MemberForm
          fields={fields}
          onChange={draft.change}
          error={error}
          currentRole={member.role}
          isLastOwner={member.is_last_owner}
        />
        {clashes.length === 0 ? (
          <FormProblem error={error} fields={FIELD_KEYS} />
        ) : (
          <Conflict {...{ clashes, theirs: fieldsOf(member), mine: fields, insist, discard }} />
        )}
        <div className="form-actions">
          <Button type="submit" busy={isPending} aria-disabled={!isDirty || clashes.length > 0 || undefined}>
            {MEMBER.save}
          </Button>
          {isDirty && !isPending && (
            <Button kind="plain" onClick={() => discard()}>
              {MEMBER.discard}
            </Button>
          )}
        </div>
      </form>
      <UnsavedChanges when={isDirty} />
    </Card>
  );
}

function OpenCard({ member, onSettle }: { member: TeamMemberDetail; onSettle: () => void }) {
  const { open_intros: open, open_count: count } = member;
  const isLeft = !member.active && open.length > 0;
  return (
    <Card
      title={MEMBER.openTitle}
      lead={isLeft ? MEMBER.openLeft : open.length === 0 ? MEMBER.openNone : MEMBER.openLead}
      actions={
        isLeft && (
          <Button kind="quiet" small onClick={onSettle}>
            {MEMBER.settle}
          </Button>
        )
      }
    >
      {open.length > 0 && <IntroLines label={MEMBER.openTitle} intros={open} />}
      {count.count > open.length && <p className="member-soft">{MEMBER.openMore(open.length)}</p>}
    </Card>
  );
}

function RecentCard({ member }: { member: TeamMemberDetail }) {
  const { recent_intros: recent } = member;
  return (
    <Card title={MEMBER.recentTitle} {...(recent.length === 0 && { lead: MEMBER.recentNone })}>
      {recent.length > 0 && (
        <>
          <IntroLines label={MEMBER.recentTitle} intros={recent} />
          <LinkButton to="/intros" search={{ member: member.id }} kind="quiet" small>
            {MEMBER.allIntros}
          </LinkButton>
        </>
      )}
    </Card>
  );
}

const Facts = ({ member }: { member: TeamMemberDetail }) => (
  <Card title={MEMBER.facts}>
    <DefinitionList
      items={[
        [MEMBER.since, <Time key="since" at={member.created_at} style="date" />],
        [MEMBER.pace, member.words_per_minute === null ? null : MEMBER.paceWords(member.words_per_minute)],
        [MEMBER.id, <code key="id">{member.id}</code>],
      ]}
    />
  </Card>
);
