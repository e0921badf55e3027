import { useConnection } from '../connection.ts';
import { Icon } from '../parts/icon.tsx';
import { FRAME } from '../texts/common.ts';

/** The status element is always rendered: screen readers announce only changes inside an existing one. */
export function ConnectionBar() {
  const connection = useConnection();
  return (
    <div role="status" className="connection">
      {connection !== 'online' && (
        <p className="connection-text">
          <Icon name="signal" />
          {connection === 'offline' ? FRAME.offline : FRAME.silent}
        </p>
      )}
    </div>
  );
}
