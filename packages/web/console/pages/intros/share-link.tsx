import { Button } from '../../parts/button.tsx';
import { showToast } from '../../parts/overlays.tsx';
import { PARTS } from '../../texts.ts';

/** For the links of an intro, on its page and in the overview. */
export const SHARE_LINK = {
  copy: 'Copy recipient link',
};

export async function copyLink(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ text: 'Link copied.' });
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

const COPY = { icon: 'link', text: SHARE_LINK.copy, run: copyLink } as const;
const SHARE = { icon: 'send', text: 'Share link', run: share } as const;

/** For a link that no carrier sends: shares or copies it. */
export function ShareLink({ url, recipient }: ShareLinkProps) {
  const isInList = recipient !== undefined;
  return (typeof navigator.share === 'function' ? [SHARE, COPY] : [COPY]).map(({ icon, text, run }, at) => (
    <Button
      key={icon}
      icon={icon}
      small={isInList}
      kind={at === 0 && !isInList ? 'primary' : 'quiet'}
      aria-label={isInList ? `${text} for ${recipient}` : undefined}
      onClick={() => void run(url)}
      label={text}
    />
  ));
}
