import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/overlays.tsx';

interface SecretDialogProps {
  title: string;
  lead: string;
  label: string;
  secret: string;
  onDone: () => void;
  /** An additional action. */
  more?: ReactNode;
}

/** Shows a secret once. Only its button closes it, so that the secret is not lost by accident. */
export const SecretDialog = ({ title, lead, label, secret, onDone, more }: SecretDialogProps) => (
  <Dialog
    isDirty
    title={title}
    lead={lead}
    actions={
      <>
        {more}
        <Button onClick={onDone} label="I’ve copied it" />
      </>
    }
  >
    <CopyField label={label} text={secret} />
  </Dialog>
);

/** The key that was just created, for the snippets. Kept only in memory, until the page is closed. */
let newKey: string | null = null;

export const rememberNewKey = (secret: string): void => {
  newKey = secret;
};

export const readNewKey = (): string | null => newKey;
