import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { OVERLAY_CONTAINER } from './overlay-container.ts';

/** Extra text for a control. Touch screens don't show it, so the control must be clear without it. */
export const Tooltip = ({ text, children }: { text: string; children: ReactElement }) => (
  <Base.Root>
    <Base.Trigger render={children} />
    <Base.Portal container={OVERLAY_CONTAINER}>
      <Base.Positioner className="positioner" sideOffset={8}>
        <Base.Popup className="tooltip">{text}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
