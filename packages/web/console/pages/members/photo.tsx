import type { TeamMember } from '@foreword/contract';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Avatar } from '../../parts/display.tsx';
import { PictureField, readPicture } from '../../parts/file-picker.tsx';
import { useAction } from '../../queries.ts';

/** In pixels; photos are displayed much smaller, even on high-density screens. */
const LONGEST_SIDE = 1024;
const QUALITY = 0.9;

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

/** If this browser can't decode the photo, the original is sent: the server may be able to. */
const readPhoto = async (file: File): Promise<string> => readPicture(await downscale(file).catch(() => file));

type Shown = Pick<TeamMember, 'first_name' | 'last_name' | 'photo_url'>;

/** The photo of a member. Saves at once, without the form's Save button. */
export function Photo({ id, member }: { id: string; member: Shown }) {
  const params = { id };
  const save = useAction({
    run: (image: string) => call('POST /members/{id}/photo', { params, body: { image } }),
    topics: ['members'],
    done: 'Photo saved',
    showsFailure: true,
  });
  return (
    <PictureField
      label="Photo"
      hint="The face that recipients see, cropped to a circle. PNG or JPEG."
      accept="image/*"
      field="image"
      isSet={member.photo_url !== null}
      picture={<Avatar name={formatName(member)} photo={member.photo_url} size="large" />}
      read={readPhoto}
      send={save.mutateAsync}
      remove={
        <ActionButton
          kind="plain"
          label="Remove photo"
          run={() => call('DELETE /members/{id}/photo', { params })}
          topics={['members']}
          done="Photo removed"
        />
      }
    />
  );
}
