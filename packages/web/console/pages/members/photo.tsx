import type { TeamMemberDetail } from '@foreword/contract';
import { useId, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { fieldProblem, otherProblem } from '../../failure.ts';
import { formatName } from '../../format.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MEMBER } from '../../texts/members.ts';
import { FilePicker } from './file-picker.tsx';

const MAX_BYTES = 10_000_000;

/** The bytes as the body of a request carries them. */
function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(MEMBER.photoUnread)));
    reader.readAsDataURL(file);
  });
}

/** Takes effect at once: a face is seen to be right or wrong. */
export function Photo({ member }: { member: TeamMemberDetail }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const hint = useId();
  const params = { id: member.id };
  const keep = useAction({
    run: (image: string) => call('POST /members/:id/photo', { params, body: { image } }),
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.photoKept,
  });
  const remove = useAction({
    run: () => call('DELETE /members/:id/photo', { params }),
    topics: ['members'],
    done: MEMBER.photoRemoved,
  });
  async function choose(file: File): Promise<void> {
    keep.reset();
    setRefusal(file.size > MAX_BYTES ? MEMBER.photoTooLarge : null);
    if (file.size > MAX_BYTES) return;
    try {
      keep.mutate(await readBase64(file));
    } catch {
      setRefusal(MEMBER.photoUnread);
    }
  }
  const problem = refusal ?? fieldProblem(keep.error, 'image') ?? otherProblem(keep.error, ['image']);
  const hasPhoto = member.photo_url !== null;
  return (
    <Card title={MEMBER.photo}>
      <div className="member-photo">
        <Avatar name={formatName(member)} photo={member.photo_url} size="large" />
        <div className="member-photo-words">
          <p id={hint} className="member-soft">
            {MEMBER.photoLead}
          </p>
          <div className="form-actions">
            <FilePicker
              label={hasPhoto ? MEMBER.photoReplace : MEMBER.photoChoose}
              accept="image/png,image/jpeg"
              describedBy={hint}
              busy={keep.isPending}
              busyLabel={MEMBER.photoBusy}
              onChoose={(file) => void choose(file)}
            />
            {hasPhoto && (
              <Button kind="plain" busy={remove.isPending} onClick={() => remove.mutate()}>
                {MEMBER.photoRemove}
              </Button>
            )}
          </div>
        </div>
      </div>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
    </Card>
  );
}
