import type { TeamMemberDetail } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiFailure, call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Badge, Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { FormProblem, useFocusProblem } from '../../parts/form.tsx';
import { ConflictPanel, SaveBar } from '../../parts/save-bar.tsx';
import { Loaded, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { memberQuery, useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { type Draft, useDraft } from '../../use-draft.ts';
import { MemberLikeness } from '../likeness/card.tsx';
import { DeactivateDialog } from './deactivate-dialog.tsx';
import { IntroLines, Pages } from './detail-cards.tsx';
import { EmailBounces } from './email-bounces.tsx';
import { FIELD_KEYS, fieldsOf, isSavedIn, type MemberFields, toChange } from './fields.ts';
import { MemberForm } from './member-form.tsx';
import { MemberPasskeys } from './passkeys.tsx';
import { Photo } from './photo.tsx';
import { FIELDS, formatFieldValue, MEMBER, MEMBERS, ROLE_NAMES } from './texts.ts';

const route = getRouteApi('/members/$id');
const BACK = { to: '/members', name: MEMBERS.title } as const;

export function MemberPage() {
  const { id } = route.useParams();
  const query = useQuery(memberQuery(id));
  const skeleton = (
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
    <Loaded query={query} skeleton={skeleton}>
      {(member) => <Member key={member.id} member={member} />}
    </Loaded>
  );
}

function Member({ member }: { member: TeamMemberDetail }) {
  const [isDeactivating, setDeactivating] = useState(false);
  const name = formatName(member);
  return (
    <>
      <PageHeader
        title={name}
        back={BACK}
        badge={member.active ? <Badge>{ROLE_NAMES[member.role]}</Badge> : <Badge>{MEMBERS.deactivated}</Badge>}
        actions={<ActiveAction member={member} onDeactivate={() => setDeactivating(true)} />}
      />
      <div className="grid gap-20 member-columns">
        <div className="stack">
          <Notices member={member} />
          <Photo member={member} />
          <Details member={member} />
        </div>
        <div className="stack">
          <OpenCard member={member} onSettle={() => setDeactivating(true)} />
          <RecentCard member={member} />
          <Pages member={member} />
          <MemberLikeness member={{ id: member.id, name }} />
          <MemberPasskeys member={member} />
          <About member={member} />
        </div>
      </div>
      <DeactivateDialog member={member} open={isDeactivating} onOpenChange={setDeactivating} />
    </>
  );
}

function ActiveAction({ member, onDeactivate }: { member: TeamMemberDetail; onDeactivate: () => void }) {
  const session = useSession();
  const isOwner = useMay('owner');
  const reactivate = useAction({
    run: () => call('POST /v1/members/{id}/reactivate', { params: { id: member.id } }),
    topics: ['members'],
    done: MEMBER.reactivated(formatName(member)),
  });
  if (member.role === 'owner' && !isOwner) return null;
  if (!member.active) {
    return (
      <Button kind="quiet" busy={reactivate.isPending} onClick={() => reactivate.mutate()}>
        {MEMBER.reactivate}
      </Button>
    );
  }
  // Users can't deactivate themselves, and the last owner can't be deactivated.
  if (member.id === session.member.id || member.is_last_owner) return null;
  return (
    <Button kind="quiet" onClick={onDeactivate}>
      {MEMBER.deactivate}
    </Button>
  );
}

function Notices({ member }: { member: TeamMemberDetail }) {
  return (
    <>
      {!member.active && <Notice title={MEMBER.deactivatedTitle}>{MEMBER.deactivatedLead}</Notice>}
      {member.email_bounced_at !== null && <EmailBounces member={member} since={member.email_bounced_at} />}
      {member.shares_email && (
        <Notice tone="warn" title={MEMBER.sharesTitle}>
          {MEMBERS.sharedLead}
        </Notice>
      )}
    </>
  );
}

type Saving = Pick<Draft<MemberFields>, 'changes' | 'was'>;

/** Sends only the changed fields. On a conflict, loads the latest values so that both can be compared. */
function useSaving(id: string, draft: Draft<MemberFields>) {
  const queries = useQueryClient();
  const cache = (member: TeamMemberDetail) => queries.setQueryData(memberQuery(id).queryKey, member);
  return useAction({
    async run({ changes, was }: Saving) {
      const params = { id };
      try {
        return await call('POST /members/{id}', { params, body: toChange({ changes, was }) });
      } catch (error) {
        if (!(error instanceof ApiFailure && error.code === 'edit_conflict')) throw error;
        const now = await call('GET /members/{id}', { params });
        // The values are saved already: an earlier request succeeded, but its response was lost.
        if (isSavedIn(changes, now)) return now;
        cache(now);
        throw error;
      }
    },
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.saved,
    onDone(saved, { changes }) {
      cache(saved);
      draft.markSaved(changes, fieldsOf(saved));
    },
  });
}

function Details({ member }: { member: TeamMemberDetail }) {
  const draft = useDraft(fieldsOf(member));
  const { fields, isDirty } = draft;
  const { mutate, isPending, error, reset } = useSaving(member.id, draft);
  // While saving, a live update may contain the values just sent: not a conflict.
  const conflicts = isPending ? [] : draft.conflicts;
  const form = useFocusProblem<HTMLFormElement>(error);
  const discard = (keys?: readonly (keyof MemberFields)[]) => {
    draft.discard(keys);
    reset();
  };
  const keepMine = () => {
    draft.keepMine();
    reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDirty && conflicts.length === 0 && !isPending) mutate(draft);
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
        {conflicts.length === 0 ? (
          <FormProblem error={error} fields={FIELD_KEYS} />
        ) : (
          <ConflictPanel
            title={MEMBER.conflictTitle}
            fields={conflicts.map((field) => ({
              label: FIELDS[field],
              theirs: formatFieldValue(field, fieldsOf(member)[field]),
              mine: formatFieldValue(field, fields[field]),
            }))}
            onUseTheirs={() => discard(conflicts)}
            onKeepMine={keepMine}
          />
        )}
        <SaveBar
          changed={Object.keys(draft.changes).length}
          busy={isPending}
          blocked={conflicts.length > 0}
          onDiscard={() => discard()}
        />
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
      {count.count > open.length && <p className="lead">{MEMBER.openMore(open.length)}</p>}
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

const About = ({ member }: { member: TeamMemberDetail }) => (
  <Card title={MEMBER.about}>
    <DefinitionList
      items={[
        [MEMBER.since, <Time key="since" at={member.created_at} style="date" />],
        [MEMBER.pace, member.words_per_minute === null ? null : MEMBER.paceWords(member.words_per_minute)],
        [MEMBER.id, <code key="id">{member.id}</code>],
      ]}
    />
  </Card>
);
