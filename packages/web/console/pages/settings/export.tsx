import type { ExportEstimate } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { EXPORT } from '../../texts/export.ts';

const Content = ({ estimate }: { estimate: ExportEstimate }) => (
  <>
    <p>{EXPORT.estimate(estimate)}</p>
    <p className="card-lead">
      {EXPORT.interrupted.before}
      <code>{EXPORT.interrupted.command}</code>
      {EXPORT.interrupted.after}
    </p>
    <div className="form-actions">
      <AnchorButton kind="quiet" icon="download" href="/console/export/organization.tar" download>
        {EXPORT.download}
      </AnchorButton>
    </div>
  </>
);

/** For owners: everything about the organization as one file. */
export function Export() {
  const estimate = useQuery({ queryKey: ['export'], queryFn: ({ signal }) => call('GET /export', {}, signal) });
  return (
    <Card title={EXPORT.title} lead={EXPORT.lead}>
      <Loaded query={estimate}>{(loaded) => <Content estimate={loaded} />}</Loaded>
    </Card>
  );
}
