import { Menu as Base } from '@base-ui/react/menu';
import type { ComponentProps } from 'react';
import { Icon, type IconName } from './display.tsx';
import { OVERLAY_CONTAINER } from './overlay-container.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A second line; for a disabled item, the reason. */
  readonly hint?: string;
  readonly run: () => void;
}

interface MenuPopupProps {
  items: readonly MenuItem[];
  trigger: ComponentProps<'button'>;
}

export const MenuPopup = ({ items, trigger }: MenuPopupProps) => (
  <Base.Root>
    <Base.Trigger {...trigger} />
    <Base.Portal container={OVERLAY_CONTAINER}>
      <Base.Positioner className="positioner" sideOffset={6} align="end">
        <Base.Popup className="popup">
          {items.map((item) => (
            <Base.Item
              key={item.label}
              className={item.danger === true ? 'line gap-12 popup-item bad-text' : 'line gap-12 popup-item'}
              disabled={item.disabled ?? false}
              onClick={item.run}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              {item.hint === undefined ? (
                item.label
              ) : (
                <span className="grid">
                  {item.label}
                  <span className="hint">{item.hint}</span>
                </span>
              )}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
