import type { HOME_OPERATIONS } from '@foreword/contract';
import { findMember, type MemberChange, updateMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { keepPicture } from '../../recordings/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { dropUnlessShown } from '../photos.ts';
import type { Who } from '../sessions/service.ts';
import { presentSettings } from './present.ts';

type Settings = 'GET /home/settings' | 'POST /home/settings' | 'POST /home/photo' | 'DELETE /home/photo';

const gone = () => new ApiError('unauthorized', 'You are not signed in any more. Sign in again.');

/** What members decide about themselves. */
export function createSettingsHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>,
): Pick<ConsoleHandlers, Settings & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
  } = deps;

  async function changePhoto(who: Who, photo: string | null) {
    const before = await findMember(db, who.tenant, who.memberId);
    const settings = await change(who, { photo });
    await dropUnlessShown(deps, who.tenant, who.memberId, before?.photo ?? null);
    return settings;
  }

  async function change({ tenant, memberId }: Who, changes: MemberChange) {
    const isNothing = Object.keys(changes).length === 0;
    const row = await (isNothing ? findMember(db, tenant, memberId) : updateMember(db, tenant, memberId, changes));
    if (row === null) throw gone();
    return presentSettings(row);
  }

  return {
    'GET /home/settings': ({ who }) => change(who, {}),
    'POST /home/settings'({ who, body: { phone, notify_by, words_per_minute } }) {
      return change(who, {
        ...(phone !== undefined && { phone: phone === '' ? null : phone }),
        ...(notify_by !== undefined && { notify_by }),
        ...(words_per_minute !== undefined && { words_per_minute }),
      });
    },
    async 'POST /home/photo'({ who, body }) {
      const { organizationId } = who.tenant;
      const kept = await keepPicture(deps, {
        bytes: Buffer.from(body.photo, 'base64'),
        shape: 'face',
        keyFor: (hash) => `${organizationId}/members/${who.memberId}-${hash}.jpg`,
      });
      if ('refused' in kept) throw invalid('photo', kept.refused);
      return changePhoto(who, kept.key);
    },
    'DELETE /home/photo': ({ who }) => changePhoto(who, null),
  };
}
