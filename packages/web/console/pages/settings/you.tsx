import type { HomeSettings } from '@foreword/contract';
import { type ChangeEvent, useRef } from 'react';
import { call } from '../../api.ts';
import { ApiFailure } from '../../failure.ts';
import { formatName } from '../../format.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Button } from '../../parts/button.tsx';
import { Card, DefinitionList } from '../../parts/card.tsx';
import { readBase64 } from '../../parts/file-picker.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { useAction } from '../../queries.ts';
import { SETTINGS } from '../../texts/settings.ts';

/** In pixels; photos are displayed much smaller, even on high-density screens. */
const LONGEST_SIDE = 1024;
const QUALITY = 0.9;
/** The server's limit, for pictures this browser can't downscale. */
const MAX_BYTES = 6_000_000;

const unreadable = (): ApiFailure =>
  new ApiFailure({ status: 422, code: 'validation_failed', message: SETTINGS.photoUnreadable });

/** Turns a 12 MB phone photo into about 200 KB. */
async function downscale(file: File): Promise<Blob> {
  // Applies the rotation stored by the phone.
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return file;
  // JPEG has no transparency: transparent pixels would turn black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/jpeg', QUALITY));
}

/** Reads the photo as base64. If this browser can't decode it, sends the original: the server may be able to. */
async function readPhoto(file: File): Promise<string> {
  const picture = await downscale(file).catch(() => file);
  if (picture.size === 0 || picture.size > MAX_BYTES) throw unreadable();
  return readBase64(picture).catch(() => {
    throw unreadable();
  });
}

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
