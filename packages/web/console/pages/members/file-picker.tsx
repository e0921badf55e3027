import { Icon } from '../../parts/icon.tsx';

interface FilePickerProps {
  label: string;
  accept: string;
  onChoose: (file: File) => void;
  busy?: boolean;
  busyLabel?: string;
  describedBy?: string;
}

/** The browser's own field for files, under the look of a button: the keyboard and readers have it as it is. */
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
          // The same file may be chosen again once it is mended.
          currentTarget.value = '';
          if (file !== undefined) onChoose(file);
        }}
      />
    </label>
  );
}
