import { sendSecretEmail, writeSignIn } from '../../delivery/index.ts';
import { newId } from '../../platform/ids.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { LinkOrigin, Sessions } from '../sessions/service.ts';
import { findByEmail } from '../sessions/store.ts';

export interface LinkSenderDeps extends Pick<ConsoleDeps, 'db' | 'clock' | 'log' | 'carriers' | 'publicUrl'> {
  readonly sessions: Sessions;
}

/** An address gets one email per organization. More organizations than this are not expected. */
const MAX_ORGANIZATIONS = 10;

export const signInPath = (secret: string): string => `/console/signin/${secret}`;

/** Emails a sign-in link to every member with the address. */
export function createLinkSender({ db, clock, log, carriers, publicUrl, sessions }: LinkSenderDeps) {
  return async (email: string, origin: LinkOrigin): Promise<void> => {
    const members = await findByEmail(db.kysely, email, MAX_ORGANIZATIONS);
    if (members.length === 0) return;
    for (const link of await sessions.requestLinks(email, members, origin)) {
      const { tenant, email: address, organization } = link.member;
      const isSent = await sendSecretEmail(
        { carriers, log },
        writeSignIn(link.member, publicUrl + signInPath(link.secret)),
        {
          id: newId('msg', clock()),
          address,
          organizationId: tenant.organizationId,
          accent: organization.accent,
          fromName: organization.name,
        },
      );
      if (!isSent) await sessions.discardLink(link);
    }
  };
}
