import type { TouchpointFit } from '@foreword/contract';
import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { TOUCHPOINT } from '../../texts/touchpoints.ts';
import { useDebounced } from '../../use-debounced.ts';

const TYPING_PAUSE_MS = 900;
const MAX_ROWS = 8;

/** Warns when members need more than the recommended time, and when they would be cut off. */
function Summary({ fit }: { fit: TouchpointFit }) {
  const { over, active_members: active, limit_seconds: limit, end_seconds: end, checked } = fit;
  const rest = checked < active && <> {TOUCHPOINT.fitChecked(checked)}</>;
  const cutOff = over.filter(({ seconds }) => seconds > end).length;
  if (cutOff > 0) {
    return (
      <Notice tone="warn">
        {TOUCHPOINT.fitCutOff(cutOff, active, end)}
        {rest}
      </Notice>
    );
  }
  if (over.length === 0) {
    return (
      <Notice tone="good">
        {TOUCHPOINT.fitAll(active, limit)}
        {rest}
      </Notice>
    );
  }
  return (
    <Notice tone="warn">
      {TOUCHPOINT.fitOver(over.length, active, limit)} {TOUCHPOINT.fitShorten}
      {rest}
    </Notice>
  );
}

/** Lists the members who couldn't read the script in time. */
export function LengthCheck({ script, language }: { script: string; language: Language }) {
  const draft = useDebounced({ script, ...(language !== DEFAULT_LANGUAGE && { language }) }, TYPING_PAUSE_MS);
  const query = useQuery({
    queryKey: ['members', 'touchpoint-fit', draft],
    queryFn: ({ signal }) => call('POST /touchpoint-fit', { body: draft }, signal),
    placeholderData: (previous) => previous,
  });
  const { data } = query;
  const lead = data === undefined ? undefined : TOUCHPOINT.fitLead(data.longest_recipient, data.longest_member);
  return (
    <Card title={TOUCHPOINT.fitTitle} lead={lead}>
      <Loaded query={query}>
        {(fit) => {
          const { over, problem } = fit;
          if (problem !== null) return <Notice tone="warn">{TOUCHPOINT.fitBroken}</Notice>;
          if (fit.active_members === 0) return <Notice>{TOUCHPOINT.fitNoMembers}</Notice>;
          return (
            <>
              <Summary fit={fit} />
              {over.length > 0 && (
                <ul className="fit" aria-label={TOUCHPOINT.fitList}>
                  {over.slice(0, MAX_ROWS).map((one) => (
                    <li key={one.id}>
                      <Link to="/members/$id" params={{ id: one.id }} className="fit-name">
                        {one.name}
                      </Link>
                      <span className="fit-pace">{TOUCHPOINT.fitPace(one.words_per_minute, one.is_own_pace)}</span>
                      <strong>{TOUCHPOINT.fitSeconds(one.seconds)}</strong>
                    </li>
                  ))}
                  {over.length > MAX_ROWS && <li className="fit-pace">{TOUCHPOINT.fitMore(over.length - MAX_ROWS)}</li>}
                </ul>
              )}
              <p className="fit-pace">{TOUCHPOINT.fitLongest(fit.words, fit.seconds, fit.default_words_per_minute)}</p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
