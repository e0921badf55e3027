import type { ExportEstimate } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { EXPORT } from '../../texts/export.ts';

const ARCHIVE = '/console/export/organization.tar';

/** Navigating to the archive instead would replace the page if the server refuses it. */
function download() {
  const link = document.createElement('a');
  link.href = ARCHIVE;
  link.download = '';
  link.click();
}

interface ContentProps {
  estimate: ExportEstimate;
  isRefused: boolean;
  onStart: () => void;
}

const Content = ({ estimate, isRefused, onStart }: ContentProps) => (
  <>
    <p>{EXPORT.estimate(estimate)}</p>
    <p className="card-lead">
      {EXPORT.interrupted.before}
      <code>{EXPORT.interrupted.command}</code>
      {EXPORT.interrupted.after}
    </p>
    {isRefused && (
      <Notice tone="warn" live>
        {EXPORT.running}
      </Notice>
    )}
    <div className="form-actions">
      <AnchorButton
        kind="quiet"
        icon="download"
        href={ARCHIVE}
        download
        onClick={(event) => {
          event.preventDefault();
          onStart();
        }}
      >
        {EXPORT.download}
      </AnchorButton>
    </div>
  </>
);

/** For owners: everything about the organization as one file. */
export function Export() {
  const estimate = useQuery({ queryKey: ['export'], queryFn: ({ signal }) => call('GET /export', {}, signal) });
  const [isRefused, setRefused] = useState(false);
  const start = async () => {
    const { data } = await estimate.refetch();
    setRefused(data?.is_running === true);
    if (data?.is_running !== true) download();
  };
  return (
    <Card title={EXPORT.title} lead={EXPORT.lead}>
      <Loaded query={estimate}>
        {(loaded) => <Content estimate={loaded} isRefused={isRefused} onStart={() => void start()} />}
      </Loaded>
    </Card>
  );
}
