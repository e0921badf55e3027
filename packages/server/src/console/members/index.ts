/** Lists, imports and edits the members of a team. */

import {
  type ConsoleBody,
  lanesOf,
  MEMBERS_OPERATIONS,
  NewMember,
  PICTURE_MAX_BYTES,
  type TeamMemberDetail,
} from '@foreword/contract';
import type { Db, Tx } from '../../db/tenancy.ts';
import { once } from '../../http/idempotency/index.ts';
import {
  addMember,
  applyImport,
  changeMember,
  confirmEmail,
  type NewTeamMember,
  previewImport,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
} from '../../members/index.ts';
import { invalid } from '../../platform/errors.ts';
import { compileCheck } from '../../platform/validate.ts';
import { storePicture } from '../../recordings/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { deletePhotoIfUnused } from '../files.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { endAccess } from '../sessions/store/ending.ts';
import { deactivate } from './deactivation.ts';
import { readDetail, readTeam } from './directory.ts';

type Handlers = Pick<ConsoleHandlers, keyof typeof MEMBERS_OPERATIONS>;
type Change = ConsoleBody<'POST /members/{id}'>;

/** Lines of a file must pass the same checks as the forms. */
const CHECKS = {
  checkNew: compileCheck(NewMember, 'line'),
  checkChange: compileCheck(MEMBERS_OPERATIONS.changeMember.body.schema, 'line'),
};

/** Contains only the fields that were sent; the others stay unchanged. */
const toChange = (fields: Omit<Change, 'was'>): Partial<NewTeamMember> => {
  const { lanes, ...rest } = fields;
  return lanes === undefined ? rest : { ...rest, lanes: [...lanes] };
};

type ConsoleEditor = TeamEditor & { readonly memberId: string };

async function editorFor(db: Db, { tenant, memberId, role }: ConsoleUser): Promise<ConsoleEditor> {
  const organization = await requireOrganization(db, tenant);
  return { tenant, memberId, role, possibleLanes: lanesOf(organization) };
}

type Apply = (tx: Tx, editor: ConsoleEditor) => Promise<unknown>;
type ChangeMember = (user: ConsoleUser, id: string, apply: Apply) => Promise<TeamMemberDetail>;

export function createMembersHandlers(deps: ConsoleDeps): Handlers {
  const { db, clock } = deps;

  /** Runs in one transaction and returns the changed member. */
  async function change(user: ConsoleUser, id: string, apply: Apply): Promise<TeamMemberDetail> {
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

  return {
    searchMembers: (user, { query }) => readTeam(db.kysely, user.tenant, query),
    readMember: (user, { params }) => readDetail(db.kysely, user.tenant, params.id, clock()),
    async addMember(user, { body, key }) {
      const { tenant } = user;
      const { first_name, last_name, email } = body;
      const member = { ...toChange(body), first_name, last_name, email };
      const request = { tenant, key, method: 'POST', path: '/console/members', body } as const;
      const { response } = await once(db, request, async (tx) => {
        const { id } = await addMember(tx, clock, await editorFor(tx, user), member);
        return { id };
      });
      return readDetail(db.kysely, tenant, response.id, clock());
    },
    changeMember: (user, { params: { id }, body }) =>
      change(user, id, (tx, editor) => changeFields(tx, editor, id, body)),
    async endMembership(user, { params: { id }, body }) {
      const now = clock();
      const intros = await db.kysely
        .transaction()
        .execute(async (tx) => deactivate(deps, tx, await editorFor(tx, user), { id, body, now }));
      return { member: await readDetail(db.kysely, user.tenant, id, now), intros };
    },
    confirmEmail: (user, { params: { id } }) => change(user, id, (tx, editor) => confirmEmail(tx, editor, id, clock())),
    replacePages: (user, { params: { id } }) => change(user, id, (tx, editor) => replacePages(tx, editor, id, clock())),
    restorePages: (user, { params: { id } }) => change(user, id, (tx, editor) => restorePages(tx, editor, id)),
    ...createImportHandlers(deps),
    ...createPhotoHandlers(deps, change),
  };
}

function createPhotoHandlers(deps: ConsoleDeps, change: ChangeMember): Pick<Handlers, 'uploadPhoto' | 'removePhoto'> {
  const { db, objects, encoder } = deps;

  async function changePhoto(user: ConsoleUser, id: string, photo: string | null) {
    let before: string | null = null;
    try {
      return await change(user, id, async (tx, editor) => {
        before = (await requireMember(tx, user.tenant, id)).photo;
        await changeMember(tx, editor, id, { photo });
      });
    } finally {
      // A refused photo is already stored.
      for (const key of new Set([before, photo])) await deletePhotoIfUnused(deps, user.tenant, id, key);
    }
  }

  /** Checks the member first, so that no picture is decoded for another organization's member. */
  async function uploadPhoto(user: ConsoleUser, id: string, image: string): Promise<string> {
    await db.kysely.transaction().execute((tx) => requireMember(tx, user.tenant, id));
    const bytes = Buffer.from(image, 'base64');
    if (bytes.length > PICTURE_MAX_BYTES) throw invalid('image', 'must be at most 10 MB');
    const keyFor = (hash: string): string => `${user.tenant.organizationId}/members/${id}-${hash}.jpg`;
    const stored = await storePicture({ objects, encoder }, { bytes, shape: 'face', keyFor });
    if ('refused' in stored) throw invalid('image', stored.refused);
    return stored.key;
  }

  return {
    async uploadPhoto(user, { params: { id }, body }) {
      return changePhoto(user, id, await uploadPhoto(user, id, body.image));
    },
    removePhoto: (user, { params: { id } }) => changePhoto(user, id, null),
  };
}

function createImportHandlers({ db, clock }: ConsoleDeps): Pick<Handlers, 'previewImport' | 'importMembers'> {
  return {
    previewImport: async (user, { body: { text } }) =>
      previewImport(db.kysely, await editorFor(db.kysely, user), CHECKS, text),
    async importMembers(user, { body: { text, fingerprint, skip_problems: skipProblems } }) {
      const counts = await db.kysely.transaction().execute(async (tx) => {
        const requested = { text, fingerprint, skipProblems };
        const done = await applyImport(tx, clock, await editorFor(tx, user), CHECKS, requested);
        const others = done.emailChanged.filter((id) => id !== user.memberId);
        await endAccess(tx, user.tenant, others, clock());
        return done.counts;
      });
      return { added: counts.add, changed: counts.change, same: counts.same, skipped: counts.problem };
    },
  };
}
