import type { ConsoleIntroRow, TeamMemberDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatCount, formatName } from '../../format.ts';
import { ActionButton, AskButton } from '../../parts/actions.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Badge, Card, DefinitionList, Notice, PageHeader, RowText } from '../../parts/display.tsx';
import { Fields } from '../../parts/form.tsx';
import { List } from '../../parts/list.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { LoadedPage, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load, memberQuery } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { LANGUAGE_NAMES, NAV, NO_TOUCHPOINT } from '../../texts.ts';
import { IntroStatus } from '../intros/status.tsx';
import { MemberLikeness } from '../likeness/card.tsx';
import { DeactivateButton } from './deactivate.tsx';
import { type MemberFields, useMemberFields } from './fields.ts';
import { Photo } from './photo.tsx';
import { MEMBER, MEMBERS, ROLE_NAMES } from './texts.ts';

const route = getRouteApi('/members/$id');
const BACK = { to: '/members', name: NAV.members } as const;

export function MemberPage() {
  const { id } = route.useParams();
  return (
    <LoadedPage query={memberQuery(id)} title="Member" back={BACK} skeleton={<SkeletonRows rows={6} />}>
      {(member) => <Member key={member.id} member={member} />}
    </LoadedPage>
  );
}

const Member = ({ member }: { member: TeamMemberDetail }) => (
  <>
    <PageHeader
      title={formatName(member)}
      back={BACK}
      badge={<Badge>{member.active ? ROLE_NAMES[member.role] : MEMBERS.deactivated}</Badge>}
      actions={<ActiveAction member={member} />}
    />
    <div className="grid gap-20 member-columns">
      <div className="stack">
        {!member.active && <Notice title={MEMBERS.deactivated}>They get no new intros and can’t sign in.</Notice>}
        {member.email_bounced_at !== null && <EmailBounces member={member} since={member.email_bounced_at} />}
        {member.shares_email && (
          <Notice tone="warn" title="Another active member has this email address">
            {MEMBERS.sharedLead}
          </Notice>
        )}
        <Card>
          <Photo id={member.id} member={member} />
        </Card>
        <Details member={member} />
      </div>
      <div className="stack">
        <Intros member={member} />
        <Pages member={member} />
        <MemberLikeness member={{ id: member.id, name: formatName(member) }} />
        <MemberPasskeys member={member} />
        <About member={member} />
      </div>
    </div>
  </>
);

function ActiveAction({ member }: { member: TeamMemberDetail }) {
  const session = useSession();
  const isOwner = useMay('owner');
  if (member.role === 'owner' && !isOwner) return null;
  if (!member.active) {
    return (
      <ActionButton
        label="Reactivate"
        run={() => call('POST /v1/members/{id}/reactivate', { params: { id: member.id } })}
        topics={['members']}
        done={`${formatName(member)} is active again.`}
      />
    );
  }
  // Users can't deactivate themselves, and the last owner can't be deactivated.
  if (member.id === session.member.id || member.is_last_owner) return null;
  return <DeactivateButton member={member} />;
}

function Details({ member }: { member: TeamMemberDetail }) {
  const params = { id: member.id };
  const edit = useEditing<MemberFields, TeamMemberDetail>({
    list: useMemberFields(member),
    ...{ saved: member, done: 'Member saved', topics: ['members'], queryKey: memberQuery(member.id).queryKey },
    read: () => call('GET /members/{id}', { params }),
    send: ({ changes, was }) => call('POST /members/{id}', { params, body: { ...changes, was } }),
  });
  return (
    <Card title="Details">
      <form ref={edit.form} noValidate className="stack" onSubmit={edit.submit}>
        <Fields list={edit.list} values={edit.fields} error={edit.error} onChange={edit.change} />
        <EditBar edit={edit} conflict="Someone else changed this member" />
      </form>
    </Card>
  );
}

function Intros({ member }: { member: TeamMemberDetail }) {
  const { open_intros: open, open_count: count, recent_intros: recent } = member;
  const isLeft = !member.active && open.length > 0;
  const link = (label: string) => (
    <LinkButton to="/intros" search={{ member: member.id }} kind="quiet" small label={label} />
  );
  return (
    <>
      <Card
        title={MEMBER.openTitle}
        lead={isLeft ? MEMBER.openLeft : open.length === 0 ? MEMBER.openNone : 'Waiting to be recorded or sent.'}
        actions={isLeft && link('Reassign or cancel')}
      >
        {open.length > 0 && <IntroLines label={MEMBER.openTitle} intros={open} />}
        {count.count > open.length && <p className="lead">Showing the {open.length} most urgent.</p>}
      </Card>
      <Card title={MEMBER.recentTitle} {...(recent.length === 0 && { lead: 'No intros yet.' })}>
        {recent.length > 0 && <IntroLines label={MEMBER.recentTitle} intros={recent} />}
        {recent.length > 0 && link('All intros of this member')}
      </Card>
    </>
  );
}

const About = ({ member }: { member: TeamMemberDetail }) => (
  <Card title="About">
    <DefinitionList
      items={[
        ['Added', <Time key="since" at={member.created_at} style="date" />],
        ['Speaking pace', member.words_per_minute === null ? null : `${member.words_per_minute} words per minute`],
        ['Language', member.language === null ? null : LANGUAGE_NAMES[member.language]],
        ['ID', <code key="id">{member.id}</code>],
      ]}
    />
  </Card>
);

/** Decides what the video pages of a deactivated member show. */
function Pages({ member }: { member: TeamMemberDetail }) {
  const may = useMay(member.role === 'owner' ? 'owner' : 'manager');
  const params = { id: member.id };
  if (member.active) return null;
  const isReplaced = member.pages_replaced_at !== null;
  const lead =
    member.live_pages.count === 0 ? 'None of their video pages can be opened.' : MEMBER.pagesLive(member.live_pages);
  return (
    <Card title="Video pages" lead={isReplaced ? MEMBER.pagesReplaced : lead}>
      {may &&
        (isReplaced ? (
          <ActionButton
            label="Show videos again"
            run={() => call('POST /members/{id}/restore-pages', { params })}
            topics={['members']}
            done="Videos are shown again"
          />
        ) : (
          <AskButton
            button={{ label: MEMBER.replace }}
            title={`Replace ${formatName(member)}’s videos?`}
            action={MEMBER.replace}
            run={() => call('POST /members/{id}/replace-pages', { params })}
            topics={['members']}
            done="Videos replaced"
          >
            {MEMBER.replaceLead(member.first_name)}
          </AskButton>
        ))}
    </Card>
  );
}

/** When it was opened or requested; for intros to record, the due date. */
function latestOf({
  status,
  expires_at,
  opened_at,
  created_at,
}: ConsoleIntroRow): readonly [label: string, at: string] {
  if (opened_at !== null) return ['opened', opened_at];
  if (status === 'requested' && expires_at !== null) return ['due', expires_at];
  return ['requested', created_at];
}

function Latest({ intro }: { intro: ConsoleIntroRow }) {
  const [label, at] = latestOf(intro);
  return (
    <>
      {label} <Time at={at} />
    </>
  );
}

const IntroLines = ({ label, intros }: { label: string; intros: readonly ConsoleIntroRow[] }) => (
  <List
    label={label}
    rows={intros}
    render={(intro) => (
      <Link to="/intros/$id" params={{ id: intro.id }} className="row">
        <RowText main={formatName(intro.recipient)}>
          {intro.touchpoint?.name ?? NO_TOUCHPOINT} · <Latest intro={intro} />
        </RowText>
        <IntroStatus {...intro} />
      </Link>
    )}
  />
);

/** Says why the member gets no emails, and lets the team confirm the address. */
function EmailBounces({ member, since }: { member: TeamMemberDetail; since: string }) {
  const { email_bounce_reason: reason } = member;
  return (
    <Notice
      tone="warn"
      title="Emails to this address bounce"
      action={
        <ActionButton
          small
          label="The address works"
          run={() => call('POST /members/{id}/confirm-email', { params: { id: member.id } })}
          topics={['members']}
          done="Emails are sent to this address again."
        />
      }
    >
      {MEMBER.bouncesLead(member.first_name, member.phone !== null)} First bounce: <Time at={since} />.
      {reason !== null && reason !== '' && ` ${MEMBER.bouncesReason} “${reason}”`}
    </Notice>
  );
}

const TOPIC = 'member-passkeys';

/** Lets an owner help a member who lost their passkeys. Members manage their own in the settings. */
function MemberPasskeys({ member }: { member: TeamMemberDetail }) {
  const isOwner = useMay('owner');
  const isOther = useSession().member.id !== member.id;
  const params = { id: member.id };
  const { data } = useQuery({
    ...load([TOPIC, member.id], 'GET /members/{id}/passkeys', { params }),
    enabled: isOwner && isOther,
  });
  if (data === undefined || data.count === 0) return null;
  return (
    <Card title="Passkeys" lead={`Signs in with ${formatCount(data.count, 'passkey')}.`}>
      <AskButton
        button={{ label: 'Remove passkeys' }}
        title={`Remove the passkeys of ${formatName(member)}?`}
        action="Remove passkeys"
        danger
        run={() => call('DELETE /members/{id}/passkeys', { params })}
        topics={[TOPIC]}
        done="Passkeys removed"
      >
        <p>
          Do this when the member has lost them. The member is signed out everywhere, signs in without a passkey, and
          can add a new one. Make sure that the request really comes from the member.
        </p>
      </AskButton>
    </Card>
  );
}
