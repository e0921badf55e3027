import type { DeclinedIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { DECLINES } from '../../texts/declines.ts';
import { OVERVIEW } from '../../texts/overview.ts';

/** Intros that their member declined: someone has to reassign or cancel them. Nothing when there are none. */
export function DeclinedCard({ declined }: { declined: readonly DeclinedIntro[] }) {
  if (declined.length === 0) return null;
  return (
    <Card title={DECLINES.title} lead={DECLINES.reassignOrCancel}>
      <ul className="list" aria-label={DECLINES.title}>
        {declined.map(({ id, recipient, member, reason, message, expires_at: due }) => (
          <li key={id} className="list-row">
            <Link to="/intros/$id" params={{ id }} className="row">
              <span className="row-text">
                <span className="row-main">{OVERVIEW.waitingFor(recipient)}</span>
                <span className="row-more">{message ?? DECLINES.from(formatName(member), reason)}</span>
              </span>
              <span className="waiting-due">
                {due === null ? (
                  OVERVIEW.noDeadline
                ) : (
                  <Badge tone="warn">
                    <span>
                      {OVERVIEW.due} <Time at={due} />
                    </span>
                  </Badge>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
