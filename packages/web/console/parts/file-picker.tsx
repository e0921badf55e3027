import { Icon } from './display.tsx';

interface FilePickerProps {
  label: string;
  accept: string;
  onChoose: (file: File) => void;
  busy?: boolean;
  busyLabel?: string;
  describedBy?: string;
}

/** A native file input that looks like a button, so that keyboards and screen readers work unchanged. */
export function FilePicker({ label, accept, onChoose, busy = false, busyLabel = label, describedBy }: FilePickerProps) {
  return (
    <label className="button quiet file-picker">
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="upload" />}
      {busy ? busyLabel : label}
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
}

/** Reads a file as base64, which follows the comma of a data URL. */
export const readBase64 = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
