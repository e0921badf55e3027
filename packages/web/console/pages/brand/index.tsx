import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Segmented } from '../../parts/choices.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { BRAND } from '../../texts/brand.ts';
import { BrandEditor } from './editor.tsx';

type View = 'edit' | 'preview';

export function BrandPage() {
  const query = useQuery({
    queryKey: ['brand'],
    queryFn: ({ signal }) => call('GET /brand', undefined, signal),
    // A background refetch would replace what the user is editing.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  const [view, setView] = useState<View>('edit');
  return (
    <div className="brand" data-view={view}>
      <PageHeader title={BRAND.title} lead={BRAND.lead} />
      <div className="brand-views">
        <Segmented
          label={BRAND.views}
          value={view}
          onChange={setView}
          options={[
            { value: 'edit', label: BRAND.edit },
            { value: 'preview', label: BRAND.preview },
          ]}
        />
      </div>
      <Loaded query={query}>{(brand) => <BrandEditor loaded={brand} />}</Loaded>
    </div>
  );
}
