import type { HOME_OPERATIONS } from '@foreword/contract';
import { findMember, type MemberChange, updateMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { storePicture } from '../../recordings/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { deletePhotoIfUnused } from '../photos.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { presentSettings } from './present.ts';

type Settings = 'GET /home/settings' | 'POST /home/settings' | 'POST /home/photo' | 'DELETE /home/photo';

const gone = () => new ApiError('unauthorized', 'You are no longer signed in. Sign in again.');

/** A member's own settings. */
export function createSettingsHandlers(
  deps: Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>,
): Pick<ConsoleHandlers, Settings & keyof typeof HOME_OPERATIONS> {
  const {
    db: { kysely: db },
  } = deps;

  async function changePhoto(user: ConsoleUser, photo: string | null) {
    const before = await findMember(db, user.tenant, user.memberId);
    const settings = await change(user, { photo });
    await deletePhotoIfUnused(deps, user.tenant, user.memberId, before?.photo ?? null);
    return settings;
  }

  async function change({ tenant, memberId }: ConsoleUser, changes: MemberChange) {
    const isNothing = Object.keys(changes).length === 0;
    const row = await (isNothing ? findMember(db, tenant, memberId) : updateMember(db, tenant, memberId, changes));
    if (row === null) throw gone();
    return presentSettings(row);
  }

  return {
    'GET /home/settings': ({ user }) => change(user, {}),
    'POST /home/settings'({ user, body: { phone, notify_by, words_per_minute } }) {
      return change(user, {
        ...(phone !== undefined && { phone: phone === '' ? null : phone }),
        ...(notify_by !== undefined && { notify_by }),
        ...(words_per_minute !== undefined && { words_per_minute }),
      });
    },
    async 'POST /home/photo'({ user, body }) {
      const { organizationId } = user.tenant;
      const stored = await storePicture(deps, {
        bytes: Buffer.from(body.photo, 'base64'),
        shape: 'face',
        keyFor: (hash) => `${organizationId}/members/${user.memberId}-${hash}.jpg`,
      });
      if ('refused' in stored) throw invalid('photo', stored.refused);
      return changePhoto(user, stored.key);
    },
    'DELETE /home/photo': ({ user }) => changePhoto(user, null),
  };
}
