import type { HomeSettings } from '@foreword/contract';
import { type ChangeEvent, useRef } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DefinitionList } from '../../parts/definition-list.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { SETTINGS } from '../../texts/settings.ts';
import { readPhoto } from './photo.ts';

function Photo({ settings }: { settings: HomeSettings }) {
  const picker = useRef<HTMLInputElement>(null);
  const save = useAction({
    run: async (file: File) => call('POST /home/photo', { body: { photo: await readPhoto(file) } }),
    topics: ['members'],
    done: SETTINGS.photoSaved,
    showsFailure: true,
  });
  const remove = useAction({
    run: () => call('DELETE /home/photo'),
    topics: ['members'],
    done: SETTINGS.photoRemoved,
  });
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const file = currentTarget.files?.[0];
    // Lets the user choose the same file again.
    currentTarget.value = '';
    if (file !== undefined) save.mutate(file);
  };
  const { photo_url: photo } = settings;
  return (
    <div className="you-photo">
      <Avatar name={formatName(settings)} photo={photo} size="large" />
      <div className="stack-tight">
        <div className="form-actions">
          <Button kind="quiet" icon="upload" busy={save.isPending} onClick={() => picker.current?.click()}>
            {photo === null ? SETTINGS.photoAdd : SETTINGS.photoChange}
          </Button>
          {photo !== null && (
            <Button kind="plain" busy={remove.isPending} onClick={() => remove.mutate()}>
              {SETTINGS.photoRemove}
            </Button>
          )}
        </div>
        <p className="field-hint">{SETTINGS.photoHint}</p>
        <input
          ref={picker}
          className="sr"
          type="file"
          accept="image/*"
          tabIndex={-1}
          aria-label={SETTINGS.photo}
          onChange={choose}
        />
        <FormProblem error={save.error} fields={[]} />
      </div>
    </div>
  );
}

export const You = ({ settings }: { settings: HomeSettings }) => (
  <Card title={SETTINGS.youTitle} lead={SETTINGS.youLead}>
    <Photo settings={settings} />
    <DefinitionList
      items={[
        [SETTINGS.name, formatName(settings)],
        [SETTINGS.role, settings.title],
        [SETTINGS.email, settings.email],
      ]}
    />
  </Card>
);
