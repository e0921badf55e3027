/** Lists, imports and edits the members of a team. */

import {
  type CappedCount,
  type ConsoleBody,
  type ConsoleQuery,
  type CreateIntro,
  INTRO_STATUSES,
  iso,
  lanesOf,
  type MEMBERS_OPERATIONS,
  PICTURE_MAX_BYTES,
  TEST_NUMBER_PREFIX,
  type TeamMember,
  type TeamMemberDetail,
  type TeamPage,
} from '@foreword/contract';
import type { Db, Row, Tenant, Tx } from '../db/tenancy.ts';
import { wordingIn } from '../delivery/index.ts';
import { once } from '../http/idempotency/index.ts';
import {
  countOpenByMember,
  countPagesByMember,
  type IntroListRow,
  listNewestByMember,
  listOpenByMember,
  PRACTICE_SOURCE,
} from '../intros/index.ts';
import {
  addMember,
  applyImport,
  bouncedSince,
  changeMember,
  confirmEmail,
  countDirectory,
  countSharedEmails,
  type DirectoryFilter,
  type DirectoryRow,
  findInDirectory,
  findMember,
  lockPhoto,
  memberNotFound,
  type NewTeamMember,
  previewImport,
  replacePages,
  requireMember,
  restorePages,
  searchDirectory,
  type TeamEditor,
} from '../members/index.ts';
import { closedBefore } from '../pages/index.ts';
import { invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { pick } from '../platform/json.ts';
import { readDays } from '../privacy/retention/index.ts';
import { storePicture } from '../recordings/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { replacePicture } from './files.ts';
import { presentIntroRow } from './intros/present.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import { fileUrl } from './session.ts';
import type { ConsoleUser } from './sessions/service.ts';
import { endAccess } from './sessions/store.ts';

const presentTeamMember = (row: DirectoryRow): TeamMember => ({
  ...pick(row, 'id', 'first_name', 'last_name', 'email', 'phone', 'title', 'title_es', 'lanes', 'role', 'active'),
  ...pick(row, 'external_id', 'shares_email'),
  photo_url: fileUrl(row.photo),
  email_bounced_at: iso(bouncedSince(row)),
});

interface Surroundings {
  readonly work: Awaited<ReturnType<typeof countWork>>;
  readonly open: readonly IntroListRow[];
  readonly recent: readonly IntroListRow[];
  readonly now: Date;
}

const presentDetail = (
  row: DirectoryRow & { readonly is_last_owner: boolean },
  { work, open, recent, now }: Surroundings,
): TeamMemberDetail => ({
  ...presentTeamMember(row),
  ...pick(row, 'notify_by', 'words_per_minute', 'language'),
  email_bounce_reason: bouncedSince(row) === null ? null : row.email_bounce_reason,
  ...pick(row, 'created_at', 'is_last_owner', 'pages_replaced_at'),
  live_pages: work.pages,
  open_intros: open.map((intro) => presentIntroRow(intro, now)),
  open_count: work.open,
  recent_intros: recent.map((intro) => presentIntroRow(intro, now)),
});

const PAGE_SIZE = 50;
/** The most open intros that are listed for individual choices. */
const MAX_OPEN = 200;
const RECENT = 10;
/** Counting stops here; the page shows "1,000 or more". */
const MAX_COUNT = 1000;

const isKnown = async (db: Db, tenant: Tenant, id: string): Promise<boolean> =>
  ID_PATTERN.test(id) && (await findInDirectory(db, tenant, id)) !== null;

async function readTeam(db: Db, tenant: Tenant, query: ConsoleQuery<'GET /members'>): Promise<TeamPage> {
  const { q, active, lane, role, shares_email, after, limit = PAGE_SIZE } = query;
  const filter: DirectoryFilter = { q, active, lane, role, sharesEmail: shares_email !== undefined };
  if (after !== undefined && !(await isKnown(db, tenant, after))) {
    throw invalid('after', 'must be the id of the last member on the previous page');
  }
  const [rows, counts] = await Promise.all([
    searchDirectory(db, tenant, filter, { limit: limit + 1, after }),
    after === undefined ? readCounts(db, tenant, filter) : null,
  ]);
  const members = rows.slice(0, limit);
  const next = rows.length > limit ? (members.at(-1)?.id ?? null) : null;
  return { members: members.map(presentTeamMember), next, counts };
}

async function readCounts(db: Db, tenant: Tenant, filter: DirectoryFilter) {
  const [found, shared_emails] = await Promise.all([countDirectory(db, tenant, filter), countSharedEmails(db, tenant)]);
  return { found, shared_emails };
}

/** A member's open intros and live pages: when the member leaves, someone decides what becomes of them. */
export async function countWork(db: Db, tenant: Tenant, id: string, now: Date) {
  const limit = MAX_COUNT;
  const sentAfter = closedBefore(now, await readDays(db, tenant, 'videos', now));
  const [open, pages] = await Promise.all([
    countOpenByMember(db, tenant, id, limit),
    countPagesByMember(db, tenant, id, { sentAfter, limit }),
  ]);
  const capped = (count: number): CappedCount => ({ count, at_most: limit });
  return { open: capped(open), pages: capped(pages) };
}

async function readDetail(db: Db, tenant: Tenant, id: string, now: Date): Promise<TeamMemberDetail> {
  const row = ID_PATTERN.test(id) ? await findInDirectory(db, tenant, id) : null;
  if (row === null) throw memberNotFound();
  const [open, recent, work] = await Promise.all([
    listOpenByMember(db, tenant, id, MAX_OPEN),
    listNewestByMember(db, tenant, id, { statuses: INTRO_STATUSES, limit: RECENT }),
    countWork(db, tenant, id, now),
  ]);
  return presentDetail(row, { open, recent, work, now });
}

type Change = ConsoleBody<'POST /members/{id}'>;

/** Contains only the fields that were sent; the others stay unchanged. */
const toChange = (fields: Omit<Change, 'was'>): Partial<NewTeamMember> => {
  const { lanes, ...rest } = fields;
  return lanes === undefined ? rest : { ...rest, lanes: [...lanes] };
};

const PRACTICE_NAME = 'Alex';
/** A test number: the text of a practice recording is simulated. */
const PRACTICE_NUMBER = `${TEST_NUMBER_PREFIX}0190`;

function practiceFor(
  { id, first_name }: Pick<Row<'members'>, 'id' | 'first_name'>,
  { name, language }: Row<'organizations'>,
): CreateIntro {
  const { lastName, script } = wordingIn(language).practice;
  return {
    member: { id },
    recipient: { first_name: PRACTICE_NAME, last_name: lastName, phone: PRACTICE_NUMBER },
    instructions: { script: script(PRACTICE_NAME, first_name, name) },
    delivery: { responsibility: 'service' },
    reference: { source: PRACTICE_SOURCE, type: 'member', id },
  };
}

/** Asks new members for a practice recording. */
async function welcomeAll(
  { creator }: Pick<ConsoleDeps, 'creator'>,
  tx: Tx,
  tenant: Tenant,
  members: readonly Pick<Row<'members'>, 'id' | 'first_name'>[],
): Promise<void> {
  const organization = await requireOrganization(tx, tenant);
  await creator.createWithin(
    tx,
    tenant,
    members.map((member) => practiceFor(member, organization)),
  );
}

type ConsoleEditor = TeamEditor & { readonly memberId: string };

async function editorFor(db: Db, { tenant, memberId, role }: ConsoleUser): Promise<ConsoleEditor> {
  const organization = await requireOrganization(db, tenant);
  return { tenant, memberId, role, possibleLanes: lanesOf(organization) };
}

export function createMembersHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof MEMBERS_OPERATIONS> {
  const { db, clock } = deps;

  /** Runs in one transaction and returns the changed member. */
  async function change(
    user: ConsoleUser,
    id: string,
    apply: (tx: Tx, editor: ConsoleEditor) => Promise<unknown>,
  ): Promise<TeamMemberDetail> {
    await db.kysely.transaction().execute(async (tx) => apply(tx, await editorFor(tx, user)));
    return readDetail(db.kysely, user.tenant, id, clock());
  }

  /** Members sign in with their email, so a new email ends the sessions that the old one started. */
  async function changeFields(tx: Tx, editor: TeamEditor, id: string, body: Change): Promise<void> {
    const { was, ...fields } = body;
    const { email: before } = await requireMember(tx, editor.tenant, id);
    const { email } = await changeMember(tx, editor, id, toChange(fields), was && toChange(was));
    const isOther = email.toLowerCase() !== before.toLowerCase() && id !== editor.memberId;
    if (isOther) await endAccess(tx, editor.tenant, [id], clock());
  }

  const changePhoto = (user: ConsoleUser, id: string, photo: string | null) =>
    replacePicture(
      deps,
      {
        tenant: user.tenant,
        added: photo,
        read: async (db) => (await findMember(db, user.tenant, id))?.photo ?? null,
        lock: (tx) => lockPhoto(tx, user.tenant, id),
      },
      async (tx) => changeMember(tx, await editorFor(tx, user), id, { photo }),
    );

  return {
    searchMembers: (user, { query }) => readTeam(db.kysely, user.tenant, query),
    readMember: (user, { params }) => readDetail(db.kysely, user.tenant, params.id, clock()),
    async addMember(user, { body, key }) {
      const { tenant } = user;
      const { welcome = false, ...fields } = body;
      const { first_name, last_name, email } = fields;
      const member = { ...toChange(fields), first_name, last_name, email };
      const request = { tenant, key, method: 'POST', path: '/console/members', body } as const;
      const { response } = await once(db, request, async (tx) => {
        const { id } = await addMember(tx, clock, await editorFor(tx, user), member);
        if (welcome) await welcomeAll(deps, tx, tenant, [{ id, first_name }]);
        return { id };
      });
      return readDetail(db.kysely, tenant, response.id, clock());
    },
    changeMember: (user, { params: { id }, body }) =>
      change(user, id, (tx, editor) => changeFields(tx, editor, id, body)),
    confirmEmail: (user, { params: { id } }) => change(user, id, (tx, editor) => confirmEmail(tx, editor, id, clock())),
    replacePages: (user, { params: { id } }) => change(user, id, (tx, editor) => replacePages(tx, editor, id, clock())),
    restorePages: (user, { params: { id } }) => change(user, id, (tx, editor) => restorePages(tx, editor, id)),
    async uploadPhoto(user, { params: { id }, body: { image } }) {
      // Before the picture is decoded, which costs much.
      await requireMember(db.kysely, user.tenant, id);
      const bytes = Buffer.from(image, 'base64');
      if (bytes.length > PICTURE_MAX_BYTES) throw invalid('image', 'must be at most 10 MB');
      const keyFor = (hash: string): string => `${user.tenant.organizationId}/members/${id}-${hash}.jpg`;
      const stored = await storePicture(deps, { bytes, shape: 'face', keyFor });
      if ('refused' in stored) throw invalid('image', stored.refused);
      return { photo_url: fileUrl((await changePhoto(user, id, stored.key)).photo) };
    },
    async removePhoto(user, { params: { id } }) {
      await changePhoto(user, id, null);
      return { photo_url: null };
    },
    previewImport: async (user, { body: { text } }) => previewImport(db.kysely, await editorFor(db.kysely, user), text),
    async importMembers(user, { body: { welcome = false, ...requested } }) {
      const counts = await db.kysely.transaction().execute(async (tx) => {
        const done = await applyImport(tx, clock, await editorFor(tx, user), requested);
        const others = done.emailChanged.filter((id) => id !== user.memberId);
        await endAccess(tx, user.tenant, others, clock());
        const texted = done.added.filter(({ phone }) => phone !== null);
        if (welcome) await welcomeAll(deps, tx, user.tenant, texted);
        return done.counts;
      });
      return { added: counts.add, changed: counts.change, same: counts.same, skipped: counts.problem };
    },
  };
}
