import type { BrandPreview } from '@foreword/contract';
import { useState } from 'react';
import { Segmented } from '../../parts/choices.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MessageBubble, PhonePreview } from '../../parts/phone-preview.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { BRAND } from '../../texts/brand.ts';

type Shown = 'page' | 'text';
type Scheme = 'light' | 'dark';

const systemScheme = (): Scheme => (window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

function TextPreview({ text }: { text: BrandPreview['text'] }) {
  const { body, segments, units, encoding } = text;
  return (
    <>
      <div className="brand-text">
        <PhonePreview label={BRAND.textLabel}>
          <MessageBubble>{body}</MessageBubble>
        </PhonePreview>
      </div>
      <p className="brand-aside">{BRAND.segments(segments, units)}</p>
      <p className="brand-aside">{encoding === 'UCS-2' ? BRAND.unicodeCosts : BRAND.costs}</p>
    </>
  );
}

interface PaneProps {
  preview: BrandPreview | undefined;
  /** Whether previewing the current draft failed. */
  failed: boolean;
  /** Not part of the draft; a new logo reloads the page. */
  logo: string | null;
}

export function BrandPreviewPane({ preview, failed, logo }: PaneProps) {
  const [shown, setShown] = useState<Shown>('page');
  const [scheme, setScheme] = useState<Scheme>(systemScheme);
  if (preview === undefined) return <aside className="brand-preview">{!failed && <SkeletonRows />}</aside>;
  const address = `${preview.page_path}&scheme=${scheme}`;
  return (
    <aside className="brand-preview" aria-label={BRAND.previewTitle}>
      <div className="brand-preview-head">
        <Segmented
          label={BRAND.previewOf}
          value={shown}
          onChange={setShown}
          options={[
            { value: 'page', label: BRAND.page },
            { value: 'text', label: BRAND.text },
          ]}
        />
        {shown === 'page' && (
          <Segmented
            label={BRAND.scheme}
            value={scheme}
            onChange={setScheme}
            options={[
              { value: 'light', label: BRAND.light },
              { value: 'dark', label: BRAND.dark },
            ]}
          />
        )}
      </div>
      {failed && <Notice tone="warn">{BRAND.previewFailed}</Notice>}
      {shown === 'page' ? (
        // The key remounts the frame: navigating within it would add an entry to the browser history.
        <PhonePreview key={`${address} ${logo}`} label={BRAND.pageLabel} src={address} />
      ) : (
        <TextPreview text={preview.text} />
      )}
      <p className="brand-aside">{BRAND.sample}</p>
    </aside>
  );
}
