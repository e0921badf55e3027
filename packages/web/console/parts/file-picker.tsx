import { PICTURE_MAX_BYTES } from '@foreword/contract/plain';
import { type ReactNode, useId, useState } from 'react';
import { fieldProblem } from '../api.ts';
import { FAILURE, PARTS } from '../texts.ts';
import { Icon } from './display.tsx';
import { Field } from './form.tsx';

interface FilePickerProps {
  label: string;
  accept: string;
  onChoose: (file: File) => void;
  busy?: boolean;
  describedBy?: string;
}

/** A native file input that looks like a button, so that keyboards and screen readers work unchanged. */
export const FilePicker = ({ label, accept, onChoose, busy = false, describedBy }: FilePickerProps) => (
  <label className="button quiet file-picker">
    {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="upload" />}
    {label}
    <input
      type="file"
      className="sr"
      accept={accept}
      aria-describedby={describedBy}
      disabled={busy}
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? [];
        // Lets the user choose the same file again after fixing it.
        currentTarget.value = '';
        if (file !== undefined) onChoose(file);
      }}
    />
  </label>
);

/** Reads a picture as base64, unless it is too large for the server. */
export function readPicture(file: Blob): Promise<string> {
  if (file.size > PICTURE_MAX_BYTES) return Promise.reject(new Error(PARTS.pictureTooLarge));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // The data follows the comma of a data URL.
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error(PARTS.pictureUnreadable)));
    reader.readAsDataURL(file);
  });
}

interface PictureFieldProps {
  label: string;
  hint: string;
  accept: string;
  /** The picture, or what is in its place. */
  picture: ReactNode;
  isSet: boolean;
  /** The name of the file in a request, for its problem. */
  field: string;
  /** Reads the chosen file as base64. */
  read?: (file: File) => Promise<string>;
  /** Saves the picture at once, from base64. */
  send: (file: string) => Promise<unknown>;
  /** A button that removes it. */
  remove: ReactNode;
}

/** A picture with buttons that replace and remove it. */
export function PictureField(props: PictureFieldProps) {
  const { label, hint, accept, picture, isSet, field, read = readPicture, send, remove } = props;
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  async function choose(file: File): Promise<void> {
    setProblem(undefined);
    setBusy(true);
    try {
      await send(await read(file));
    } catch (error) {
      setProblem(fieldProblem(error, field) ?? (error instanceof Error ? error.message : FAILURE.unknown));
    } finally {
      setBusy(false);
    }
  }
  return (
    <Field label={label} hint={<span id={id}>{hint}</span>} error={problem} group optional>
      <div className="wrap middle gap-20">
        {picture}
        <div className="form-actions">
          <FilePicker
            label={isSet ? PARTS.replacePicture : PARTS.choosePicture}
            accept={accept}
            describedBy={id}
            busy={isBusy}
            onChoose={(file) => void choose(file)}
          />
          {isSet && remove}
        </div>
      </div>
    </Field>
  );
}
