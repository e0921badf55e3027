import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { OVERLAY_ROOM } from './overlay-room.ts';

/** A word more about a control that is complete without it: it is not there for a finger. */
export const Tooltip = ({ text, children }: { text: string; children: ReactElement }) => (
  <Base.Root>
    <Base.Trigger render={children} />
    <Base.Portal container={OVERLAY_ROOM}>
      <Base.Positioner className="positioner" sideOffset={8}>
        <Base.Popup className="tooltip">{text}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
