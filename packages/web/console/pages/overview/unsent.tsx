import type { UnsentIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { OVERVIEW } from '../../texts/overview.ts';
import { ShareLink } from '../intros/share-link.tsx';

/** Recorded intros whose text was not sent: someone has to send the link. Nothing when there are none. */
export function UnsentCard({ unsent }: { unsent: readonly UnsentIntro[] }) {
  if (unsent.length === 0) return null;
  const all = (
    <Link to="/intros" search={{ status: 'ready' }} className="overview-link">
      {OVERVIEW.waitingAll}
    </Link>
  );
  return (
    <Card title={OVERVIEW.toSend} lead={OVERVIEW.unsentLead} actions={all}>
      <ul className="list waiting-list" aria-label={OVERVIEW.toSend}>
        {unsent.map(({ id, recipient, member, reason, recipient_url: url }) => (
          <li key={id} className="list-row unsent">
            <Link to="/intros/$id" params={{ id }} className="row">
              <span className="row-text">
                <span className="row-main">{OVERVIEW.waitingFor(recipient)}</span>
                <span className="row-more">{OVERVIEW.waitingFrom(formatName(member), null)}</span>
                <span className="row-more">{reason}</span>
              </span>
            </Link>
            <span className="unsent-actions">
              <ShareLink url={url} recipient={recipient} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
