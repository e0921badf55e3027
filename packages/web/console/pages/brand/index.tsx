/** The brand, with a preview. */

import type { Brand, BrandDraft } from '@foreword/contract';
import { useState } from 'react';
import { ApiFailure } from '../../api.ts';
import { Card, PageHeader } from '../../parts/display.tsx';
import { type FieldInfo, Fields, Segmented } from '../../parts/form.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { Loaded } from '../../parts/states.tsx';
import { NAV } from '../../texts.ts';
import { BRAND_EDITING, BRAND_LIST, BRAND_QUERY, CARDS, CONTROLS, draftOf, Logo, replyFields } from './fields.tsx';
import { BrandPreviewPane, usePreview } from './preview.tsx';
import { BRAND } from './texts.ts';

function BrandEditor({ brand }: { brand: Brand }) {
  const edit = useEditing<BrandDraft, Brand>({ ...BRAND_EDITING, list: BRAND_LIST, saved: brand, done: 'Brand saved' });
  const fields = { ...draftOf(brand), ...edit.fields };
  const { preview, error: previewError } = usePreview(fields);
  const isInvalid = previewError instanceof ApiFailure && previewError.field !== null;
  const card = (list: readonly FieldInfo<BrandDraft>[]) => (
    <Fields
      list={list}
      values={fields}
      error={edit.error ?? (isInvalid ? previewError : null)}
      onChange={edit.change}
      controls={CONTROLS}
    />
  );
  return (
    <div className="grid brand-columns">
      <form ref={edit.form} className="stack brand-form" onSubmit={edit.submit} noValidate>
        <Card title="Name and logo">
          {card(CARDS.identity)}
          <Logo brand={brand} onDone={edit.adopt} />
        </Card>
        <Card title="Color" lead={BRAND.colorLead}>
          {card(CARDS.color)}
        </Card>
        <Card title="Contact">{card(CARDS.contact)}</Card>
        <Card title="Replies" lead={BRAND.repliesLead}>
          {card(replyFields(fields.language))}
        </Card>
        <Card title="Language and time zone">{card(CARDS.times)}</Card>
        <EditBar edit={edit} conflict="Someone else changed the brand" />
      </form>
      <BrandPreviewPane
        preview={preview}
        problem={
          isInvalid ? 'Fix the errors in the form to update the preview.' : previewError && 'The preview didn’t load.'
        }
        logo={brand.logo_url}
      />
    </div>
  );
}

type View = 'edit' | 'preview';

export function BrandPage() {
  const [view, setView] = useState<View>('edit');
  return (
    <div className="stack brand" data-view={view}>
      <PageHeader title={NAV.brand} lead={BRAND.lead} />
      <div className="brand-views">
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'edit', label: 'Edit' },
            { value: 'preview', label: BRAND.preview },
          ]}
        />
      </div>
      <Loaded query={BRAND_QUERY}>{(brand) => <BrandEditor brand={brand} />}</Loaded>
    </div>
  );
}
