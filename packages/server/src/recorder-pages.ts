import type { Links } from './links/index.ts';
import { previewPage, renderClosed, renderTooMany, renderUnknown, sendDocument } from './pages/index.ts';
import type { Database } from './platform/db.ts';
import type { RecorderPages } from './recordings/index.ts';
import type { Tables } from './tables.ts';

/** The other pages under a member's link. They share the design of the recipient's page. */
export function recorderPages(db: Database<Tables>, links: Links, mediaOrigin: string | null): RecorderPages {
  return {
    sendClosed: (request, reply, intro, reason) =>
      sendDocument(
        request,
        reply,
        410,
        renderClosed({
          audience: 'member',
          reason,
          organization: { name: intro.organization_name, accent: intro.accent, officePhone: intro.office_phone },
        }),
      ),
    sendUnknown: (request, reply) => sendDocument(request, reply, 404, renderUnknown()),
    sendTooMany: (request, reply, waitS) =>
      sendDocument(request, reply.header('retry-after', waitS), 429, renderTooMany()),
    async sendPreview(request, reply, { tenant, introId }) {
      const page = await previewPage(db, { tenant, introId, pageUrl: links.pageUrl(introId), mediaOrigin });
      return page === null
        ? sendDocument(request, reply, 404, renderUnknown())
        : sendDocument(request, reply, 200, page);
    },
  };
}
