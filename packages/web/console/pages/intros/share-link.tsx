import { Button } from '../../parts/button.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { PARTS } from '../../texts.ts';

/** For the links of an intro, on its page and in the overview. */
export const SHARE_LINK = {
  share: 'Share link',
  copy: 'Copy recipient link',
  forRecipient: (action: string, recipient: string) => `${action} for ${recipient}`,
  copied: 'Link copied.',
};

export async function copyLink(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ text: SHARE_LINK.copied });
  } catch {
    showToast({ kind: 'bad', text: PARTS.notCopied });
  }
}

/** Sharing is mostly for phones. A share that the user closes is not an error. */
const share = (url: string): Promise<void> => navigator.share({ url }).catch(() => undefined);

interface ShareLinkProps {
  url: string;
  /** For a list, where several rows have these buttons. */
  recipient?: string;
}

/** For a link that no carrier sends: shares or copies it. */
export function ShareLink({ url, recipient }: ShareLinkProps) {
  const canShare = typeof navigator.share === 'function';
  const isInList = recipient !== undefined;
  const label = (action: string) => (isInList ? { 'aria-label': SHARE_LINK.forRecipient(action, recipient) } : {});
  return (
    <>
      {canShare && (
        <Button
          icon="send"
          small={isInList}
          kind={isInList ? 'quiet' : 'primary'}
          {...label(SHARE_LINK.share)}
          onClick={() => void share(url)}
          label={SHARE_LINK.share}
        />
      )}
      <Button
        icon="link"
        small={isInList}
        kind={canShare || isInList ? 'quiet' : 'primary'}
        {...label(SHARE_LINK.copy)}
        onClick={() => void copyLink(url)}
        label={SHARE_LINK.copy}
      />
    </>
  );
}
