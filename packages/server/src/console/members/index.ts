import { type ConsoleBody, MEMBERS_OPERATIONS, NewMember } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { once } from '../../idempotency/index.ts';
import {
  addMember,
  applyImport,
  changeMember,
  lanesOf,
  type NewTeamMember,
  previewImport,
  reactivateMember,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
} from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { compileCheck } from '../../platform/validate.ts';
import { keepPicture, PICTURE_MAX_BYTES } from '../../recordings/index.ts';
import type { Tables } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { dropUnlessShown } from '../photos.ts';
import { retryKey } from '../retry-keys.ts';
import type { Who } from '../sessions/service.ts';
import { endAccess } from '../sessions/store.ts';
import { deactivate } from './leaving.ts';
import { readDetail, readTeam } from './reading.ts';

type Handlers = Pick<ConsoleHandlers, keyof typeof MEMBERS_OPERATIONS>;
type Change = ConsoleBody<'POST /members/:id'>;

/** Lines of a file have to pass what the forms have to pass. */
const CHECKS = {
  checkNew: compileCheck(NewMember, 'line'),
  checkChange: compileCheck(MEMBERS_OPERATIONS['POST /members/:id'].body, 'line'),
};

/** Only the fields that were sent; what is not there stays as it is. */
const toChange = (fields: Omit<Change, 'was'>): Partial<NewTeamMember> => {
  const { lanes, ...rest } = fields;
  return lanes === undefined ? rest : { ...rest, lanes: [...lanes] };
};

async function editorFor(db: Queryable<Tables>, { tenant, memberId, role }: Who): Promise<TeamEditor> {
  const organization = await findOrganization(db, tenant.organizationId);
  if (organization === null) throw new ApiError('not_found', 'Your organization is not there any more.');
  return { tenant, memberId, role, possibleLanes: lanesOf(organization) };
}

type Apply = (tx: Transaction<Tables>, editor: TeamEditor) => Promise<unknown>;

export function createMembersHandlers(deps: ConsoleDeps): Handlers {
  const { db, clock, objects, encoder } = deps;

  /** In one transaction; gives the member as they are afterwards. */
  async function change(who: Who, id: string, apply: Apply) {
    await db.kysely.transaction().execute(async (tx) => apply(tx, await editorFor(tx, who)));
    return readDetail(db.kysely, who.tenant, id, clock());
  }

  /** The address is what somebody signs in by: whoever has the one before is out. */
  async function changeFields(tx: Transaction<Tables>, editor: TeamEditor, id: string, body: Change): Promise<void> {
    const { was, ...fields } = body;
    const { email: before } = await requireMember(tx, editor.tenant, id);
    const { email } = await changeMember(tx, editor, id, toChange(fields), was && toChange(was));
    const isOther = email.toLowerCase() !== before.toLowerCase() && id !== editor.memberId;
    if (isOther) await endAccess(tx, editor.tenant, [id], clock());
  }

  async function changePhoto(who: Who, id: string, photo: string | null) {
    let before: string | null = null;
    const member = await change(who, id, async (tx, editor) => {
      before = (await requireMember(tx, who.tenant, id)).photo;
      await changeMember(tx, editor, id, { photo });
    });
    await dropUnlessShown(deps, who.tenant, id, before);
    return member;
  }

  /** Before the picture is looked at, so that nobody has one drawn for somebody who is not theirs. */
  async function keepPhoto(who: Who, id: string, image: string): Promise<string> {
    await db.kysely.transaction().execute((tx) => requireMember(tx, who.tenant, id));
    const bytes = Buffer.from(image, 'base64');
    if (bytes.length > PICTURE_MAX_BYTES) throw invalid('image', 'must have at most 10 MB');
    const keyFor = (hash: string): string => `${who.tenant.organizationId}/members/${id}-${hash}.jpg`;
    const kept = await keepPicture({ objects, encoder }, { bytes, shape: 'face', keyFor });
    if ('refused' in kept) throw invalid('image', kept.refused);
    return kept.key;
  }

  return {
    'GET /members': ({ who, query }) => readTeam(db.kysely, who.tenant, query),
    'GET /members/:id': ({ who, params }) => readDetail(db.kysely, who.tenant, params.id, clock()),
    async 'POST /members'({ who, body: { key, ...body } }) {
      const { tenant } = who;
      const { first_name, last_name, email } = body;
      const member = { ...toChange(body), first_name, last_name, email };
      const request = { tenant, key: retryKey(who, key), method: 'POST', path: '/console/members', body } as const;
      const answer = await once(db, request, async (tx) => {
        const { id } = await addMember(tx, clock, await editorFor(tx, who), member);
        return { objectId: id, body: JSON.stringify({ id }) };
      });
      const { id } = JSON.parse(String(answer.body)) as { id: string };
      return readDetail(db.kysely, tenant, id, clock());
    },
    'POST /members/:id': ({ who, params: { id }, body }) =>
      change(who, id, (tx, editor) => changeFields(tx, editor, id, body)),
    async 'POST /members/:id/photo'({ who, params: { id }, body }) {
      return changePhoto(who, id, await keepPhoto(who, id, body.image));
    },
    'DELETE /members/:id/photo': ({ who, params: { id } }) => changePhoto(who, id, null),
    async 'POST /members/:id/deactivate'({ who, params: { id }, body }) {
      const now = clock();
      const intros = await db.kysely
        .transaction()
        .execute(async (tx) => deactivate(deps, tx, await editorFor(tx, who), { id, body, now }));
      return { member: await readDetail(db.kysely, who.tenant, id, now), intros };
    },
    'POST /members/:id/reactivate': ({ who, params: { id } }) =>
      change(who, id, async (tx, editor) => {
        await reactivateMember(tx, editor, id);
        // The operator's command may have been what deactivated them, and that knows no sessions.
        await endAccess(tx, who.tenant, [id], clock());
      }),
    'POST /members/:id/replace-pages': ({ who, params: { id } }) =>
      change(who, id, (tx, editor) => replacePages(tx, editor, id, clock())),
    'POST /members/:id/restore-pages': ({ who, params: { id } }) =>
      change(who, id, (tx, editor) => restorePages(tx, editor, id)),
    'POST /members/import/preview': async ({ who, body: { text } }) =>
      previewImport(db.kysely, await editorFor(db.kysely, who), CHECKS, text),
    async 'POST /members/import'({ who, body: { text, fingerprint, skip_problems: skipProblems } }) {
      const counts = await db.kysely.transaction().execute(async (tx) => {
        const asked = { text, fingerprint, skipProblems };
        const done = await applyImport(tx, clock, await editorFor(tx, who), CHECKS, asked);
        const others = done.emailChanged.filter((id) => id !== who.memberId);
        await endAccess(tx, who.tenant, others, clock());
        return done.counts;
      });
      return { added: counts.add, changed: counts.change, same: counts.same, skipped: counts.problem };
    },
  };
}
