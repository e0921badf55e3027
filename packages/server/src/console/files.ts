import type { FastifyInstance } from 'fastify';
import type { Db, Tenant, Tx } from '../db/tenancy.ts';
import { requireIntro } from '../intros/index.ts';
import {
  browserLanguage,
  createFileSender,
  findVideoFile,
  previewPage,
  renderPlain,
  sendDocument,
} from '../pages/index.ts';
import type { Objects } from '../platform/objects/index.ts';
import { deletePicture } from '../recordings/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';

const TYPES: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg' };
/** Only keys of pictures, so that nothing else in the store can be read. */
const PICTURE = /^(org_[0-9a-z]+)\/(?:logo|members\/mem_[0-9a-z]+)-[0-9a-f]{16}\.(png|jpg)$/;

/** Logo and photos of the user's organization. Their keys contain a hash of the content, so they are immutable. */
export function registerFiles(app: FastifyInstance, { objects }: { objects: Objects }, access: ConsoleAccess): void {
  app.get<{ Params: { key: string } }>(
    '/console/files/:key',
    { config: { operation: 'console_file' } },
    async (request, reply) => {
      const { tenant } = await access.admit(request, 'member');
      const [key, owner, extension = ''] = PICTURE.exec(request.params.key) ?? [];
      const found = key === undefined || owner !== tenant.organizationId ? null : await objects.open(key);
      if (found === null) return reply.callNotFound();
      keepPrivate(reply)
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type(TYPES[extension] ?? 'application/octet-stream');
      return reply.send(await found.stream());
    },
  );
}

interface PictureChange {
  readonly tenant: Tenant;
  /** The key of the new picture; null removes the picture. */
  readonly added: string | null;
  /** The key in use. */
  read(db: Db): Promise<string | null>;
  /** The same within the change. */
  lock(tx: Tx): Promise<string | null>;
}

/** Changes a photo or logo, then deletes what is no longer used: the replaced picture, or the new one if the change is refused. */
export async function replacePicture<Result>(
  { db, objects, log }: ConsoleDeps,
  { tenant: { organizationId: organization }, added, read, lock }: PictureChange,
  apply: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let replaced: string | null = null;
  try {
    return await db.kysely.transaction().execute(async (tx) => {
      replaced = await lock(tx);
      return apply(tx);
    });
  } finally {
    // Read again, because the same picture (the same key) may have been set meanwhile.
    const used = await read(db.kysely);
    for (const key of new Set([replaced, added])) {
      if (key === null || key === used) continue;
      await deletePicture(objects, key).catch((err: unknown) => {
        log.warn({ err, organization }, 'an unused picture was not deleted');
      });
    }
  }
}

/** An intro's video and page, for users who may see the intro. These views are not counted. */
export function registerIntroFiles(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const { db, objects, clock, links, mediaOrigin } = deps;
  const sender = createFileSender(objects);

  app.route<{ Params: { id: string; file: string } }>({
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    url: '/console/media/:id/:file',
    config: { operation: 'console_media' },
    async handler(request, reply) {
      const user = await access.admit(request, 'member');
      const { id: introId } = await requireIntro(deps.db.kysely, user, request.params.id);
      const file = await findVideoFile(db, { tenant: user.tenant, introId, name: request.params.file }, clock());
      return file === null ? reply.callNotFound() : sender.send(request, reply, file);
    },
  });

  app.get<{ Params: { id: string } }>(
    '/console/preview/:id',
    { config: { operation: 'console_page' } },
    async (request, reply) => {
      const user = await access.admit(request, 'member');
      const { id: introId } = await requireIntro(deps.db.kysely, user, request.params.id);
      keepPrivate(reply);
      const pageUrl = links.pageUrl(introId, null);
      const { numberOf } = deps.carriers;
      const shown = { tenant: user.tenant, introId, pageUrl, mediaOrigin, numberOf };
      const page = await previewPage(db, shown, clock());
      return sendDocument(
        request,
        reply,
        page === null ? 404 : 200,
        page ?? renderPlain(browserLanguage(request.headers), 'unknown'),
      );
    },
  );
}
