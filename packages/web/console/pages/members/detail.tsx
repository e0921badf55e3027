import type { TeamMemberDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
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
import { FIELD_KEYS, fieldsOf, isChanged, type MemberFields, toChange } from './fields.ts';
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

/** Only what was touched is held here: the rest stays as the server has it, whoever changes it meanwhile. */
function Details({ member }: { member: TeamMemberDetail }) {
  const [draft, setDraft] = useState<Partial<MemberFields>>({});
  const before = fieldsOf(member);
  const fields = { ...before, ...draft };
  const isDirty = isChanged(before, fields);
  const save = useAction({
    run: () => call('POST /members/:id', { params: { id: member.id }, body: toChange(before, fields) }),
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.saved,
    onDone: () => setDraft({}),
  });
  const form = useFocusProblem<HTMLFormElement>(save.error);
  const discard = () => {
    setDraft({});
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDirty && !save.isPending) save.mutate();
  };
  return (
    <Card title={MEMBER.details}>
      <form ref={form} noValidate className="form" onSubmit={submit}>
        <MemberForm
          fields={fields}
          onChange={(change) => setDraft((earlier) => ({ ...earlier, ...change }))}
          error={save.error}
          currentRole={member.role}
          isLastOwner={member.is_last_owner}
        />
        <FormProblem error={save.error} fields={FIELD_KEYS} />
        <div className="form-actions">
          <Button type="submit" busy={save.isPending} aria-disabled={!isDirty || undefined}>
            {MEMBER.save}
          </Button>
          {isDirty && !save.isPending && (
            <Button kind="plain" onClick={discard}>
              {MEMBER.discard}
            </Button>
          )}
        </div>
      </form>
      <UnsavedChanges when={isDirty && !save.isPending} />
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
