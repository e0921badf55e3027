import { useState } from 'react';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { showToast } from './overlays.tsx';

const COPIED_MS = 2_000;

function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      // Unavailable over plain HTTP, except on localhost.
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    } catch {
      showToast({ kind: 'bad', text: PARTS.notCopied });
    }
  }
  return (
    <Button
      kind="quiet"
      small
      icon={copied ? 'check' : 'copy'}
      label={<span aria-live="polite">{copied ? PARTS.copied : PARTS.copy}</span>}
      onClick={() => void copy()}
    />
  );
}

/** A link, an ID, or a key with a copy button. */
export const CopyField = ({ label, text }: { label: string; text: string }) => (
  <div className="wrap middle gap-12">
    <span className="soft">{label}</span>
    <code className="copy-text">{text}</code>
    <CopyButton text={text} />
  </div>
);

export const CodeBlock = ({ code, label }: { code: string; label: string }) => (
  <figure className="code">
    <figcaption className="hint line between gap-12 code-head">
      <span className="narrow">{label}</span>
      <CopyButton text={code} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
    <section className="code-text" tabIndex={0} aria-label={label}>
      <pre>
        <code>{code}</code>
      </pre>
    </section>
  </figure>
);
