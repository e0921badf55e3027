import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Time } from '../../parts/time.tsx';
import { OVERVIEW } from '../../texts/overview.ts';

/** The newest replies of recipients; nothing when there are none. */
export function RepliesCard() {
  const { data } = useQuery({
    queryKey: ['intros', 'replies'],
    queryFn: ({ signal }) => call('GET /overview/replies', undefined, signal),
  });
  if (data === undefined || data.replies.length === 0) return null;
  return (
    <Card title={OVERVIEW.repliesTitle}>
      <ul className="list" aria-label={OVERVIEW.repliesTitle}>
        {data.replies.map(({ intro_id: id, recipient, member, label, message, by_text, replied_at: at }) => (
          <li key={id} className="list-row">
            <Link to="/intros/$id" params={{ id }} className="row">
              <span className="row-text">
                <span className="row-main">
                  {by_text ? OVERVIEW.repliedByText(recipient) : OVERVIEW.replied(recipient, label)}
                </span>
                <span className="row-more">{message ?? OVERVIEW.replyTo(formatName(member))}</span>
              </span>
              <span className="waiting-due">
                <Time at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
