import type { BrandDraft, BrandPreview } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Scheme, systemScheme, useDebounced } from '../../hooks.ts';
import { MessageBubble, Notice, PhonePreview } from '../../parts/display.tsx';
import { Segmented } from '../../parts/form.tsx';
import { SkeletonRows } from '../../parts/states.tsx';
import { TextSize } from '../../parts/text-size.tsx';
import { load } from '../../queries.ts';
import { BRAND } from './texts.ts';

/** Longer than the pause between two letters, but short enough to feel live. */
const PAUSE_MS = 300;
/** The preview link works for ten minutes, so it is renewed well before. */
const FRESH_MS = 300_000;

/** Previews the draft. The last preview stays while the next one loads and when the draft is invalid. */
export function usePreview(fields: BrandDraft): { preview: BrandPreview | undefined; error: Error | null } {
  const body = useDebounced(fields, PAUSE_MS);
  const [last, setLast] = useState<BrandPreview>();
  const { data, error } = useQuery({
    ...load(['brand-preview', body], 'POST /brand/preview', { body }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    gcTime: FRESH_MS,
  });
  useEffect(() => {
    if (data !== undefined) setLast(data);
  }, [data]);
  return { preview: data ?? last, error };
}

type Shown = 'page' | 'text';

interface PaneProps {
  preview: BrandPreview | undefined;
  /** Why the preview does not show the current draft. */
  problem: string | null;
  /** Not part of the draft; a new logo reloads the page. */
  logo: string | null;
}

export function BrandPreviewPane({ preview, problem, logo }: PaneProps) {
  const [shown, setShown] = useState<Shown>('page');
  const [scheme, setScheme] = useState<Scheme>(systemScheme);
  if (preview === undefined) return <aside className="grid gap-16 brand-preview">{problem ?? <SkeletonRows />}</aside>;
  const address = `${preview.page_path}&scheme=${scheme}`;
  return (
    <aside className="grid gap-16 brand-preview" aria-label="Recipient preview">
      <div className="form-actions">
        <Segmented
          label={BRAND.preview}
          value={shown}
          onChange={setShown}
          options={[
            { value: 'page', label: 'Page' },
            { value: 'text', label: 'Text message' },
          ]}
        />
        {shown === 'page' && (
          <Segmented
            label="Color scheme"
            value={scheme}
            onChange={setScheme}
            options={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        )}
      </div>
      {problem !== null && <Notice tone="warn">{problem}</Notice>}
      {shown === 'page' ? (
        // The key remounts the frame: navigating within it would add an entry to the browser history.
        <PhonePreview key={`${address} ${logo}`} label="The recipient's page with sample data" src={address} />
      ) : (
        <>
          <PhonePreview label="The text message with sample data">
            <MessageBubble>{preview.text.body}</MessageBubble>
          </PhonePreview>
          <div className="hint">
            <TextSize text={preview.text.body} price={preview.segment_price} />
          </div>
        </>
      )}
      <p className="hint">Sarah and Jane are sample names.</p>
    </aside>
  );
}
