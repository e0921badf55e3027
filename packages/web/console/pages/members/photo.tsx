import type { TeamMemberDetail } from '@foreword/contract';
import { PICTURE_MAX_BYTES } from '@foreword/contract/plain';
import { useId, useState } from 'react';
import { call, fieldProblem, otherProblem } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Avatar, Card, Notice } from '../../parts/display.tsx';
import { FilePicker, readBase64 } from '../../parts/file-picker.tsx';
import { useAction } from '../../queries.ts';
import { MEMBER } from './texts.ts';

/** Saves at once, without the form's Save button. */
export function Photo({ member }: { member: TeamMemberDetail }) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const hint = useId();
  const params = { id: member.id };
  const save = useAction({
    run: (image: string) => call('POST /members/{id}/photo', { params, body: { image } }),
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.photoSaved,
  });
  const remove = useAction({
    run: () => call('DELETE /members/{id}/photo', { params }),
    topics: ['members'],
    done: MEMBER.photoRemoved,
  });
  async function choose(file: File): Promise<void> {
    save.reset();
    setRefusal(file.size > PICTURE_MAX_BYTES ? MEMBER.photoTooLarge : null);
    if (file.size > PICTURE_MAX_BYTES) return;
    try {
      save.mutate(await readBase64(file));
    } catch {
      setRefusal(MEMBER.photoUnreadable);
    }
  }
  const problem = refusal ?? fieldProblem(save.error, 'image') ?? otherProblem(save.error, ['image']);
  const hasPhoto = member.photo_url !== null;
  return (
    <Card title={MEMBER.photo}>
      <div className="line gap-20 member-photo">
        <Avatar name={formatName(member)} photo={member.photo_url} size="large" />
        <div className="grid gap-12">
          <p id={hint} className="lead">
            {MEMBER.photoLead}
          </p>
          <div className="form-actions">
            <FilePicker
              label={hasPhoto ? MEMBER.photoReplace : MEMBER.photoChoose}
              accept="image/png,image/jpeg"
              describedBy={hint}
              busy={save.isPending}
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
