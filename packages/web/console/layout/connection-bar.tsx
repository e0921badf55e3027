import { useConnection } from '../connection.ts';
import { Icon } from '../parts/icon.tsx';
import { FRAME } from '../texts/common.ts';

/** The status element stands there always, so that what comes into it is read out. */
export function ConnectionBar() {
  const connection = useConnection();
  return (
    <div role="status" className="connection">
      {connection !== 'fine' && (
        <p className="connection-words">
          <Icon name="signal" />
          {connection === 'offline' ? FRAME.offline : FRAME.silent}
        </p>
      )}
    </div>
  );
}
